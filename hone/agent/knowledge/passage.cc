// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/passage.h"

#include <array>

#include "hone/agent/chat/plain_text.h"

namespace hone::agent {
std::string_view NameOf(PassageKind kind) {
  constexpr std::array<std::string_view, kPassageKinds> kNames = {
      "option", "known_option", "parameter", "document", "interface", "measured"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string CleanText(std::string_view text, std::size_t max) {
  return CutText(PlainText(text), max);
}

}  // namespace hone::agent
