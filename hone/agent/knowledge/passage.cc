// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/passage.h"

#include <fmt/format.h>

#include <array>

namespace hone::agent {
namespace {

// Bytes of the UTF-8 sequence that begins here; 0 if none does.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  std::size_t length = 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  if (lead >= 0xe0 && lead <= 0xef) length = 3;
  if (lead >= 0xf0 && lead <= 0xf4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xc0) != 0x80) return 0;
  }
  if (lead == 0xe0 && byte(1) < 0xa0) return 0;  // Longer than needed.
  if (lead == 0xf0 && byte(1) < 0x90) return 0;
  if (lead == 0xed && byte(1) > 0x9f) return 0;  // Halves of a pair.
  if (lead == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

// C1 controls (U+0080 to U+009F), and the marks that turn the direction of a line.
bool IsHiddenControl(std::string_view sequence) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 2) return at(0) == 0xc2 && at(1) < 0xa0;
  if (sequence.size() != 3 || at(0) != 0xe2) return false;
  return (at(1) == 0x80 && at(2) >= 0xaa && at(2) <= 0xae) ||
         (at(1) == 0x81 && at(2) >= 0xa6 && at(2) <= 0xa9);
}

}  // namespace

std::string_view NameOf(PassageKind kind) {
  constexpr std::array<std::string_view, kPassageKinds> kNames = {
      "option", "known_option", "parameter", "document", "interface", "measured"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string CleanText(std::string_view text, std::size_t max) {
  std::string clean;
  clean.reserve(std::min(text.size(), max));
  while (!text.empty()) {
    if (clean.size() >= max) {
      clean += fmt::format(" … ({} more bytes)", text.size());
      break;
    }
    const std::size_t length = SequenceLength(text);
    const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
    const auto byte = static_cast<unsigned char>(text.front());
    if (length == 0) {
      clean += '?';
    } else if (length == 1 && (byte < 0x20 || byte == 0x7f) && byte != '\n' && byte != '\t') {
      if (byte != '\r') clean += fmt::format("\\x{:02x}", byte);
    } else if (IsHiddenControl(sequence)) {
      clean += '?';
    } else {
      clean += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return clean;
}

}  // namespace hone::agent
