// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/quoted_text.h"

#include <fmt/format.h>

#include "hone/base/json/json.h"

namespace hone::agent {
namespace {

// Whole characters only.
std::string_view CutText(std::string_view text, std::size_t max_bytes) {
  while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xC0U) == 0x80U) {
    --max_bytes;
  }
  return text.substr(0, max_bytes);
}

}  // namespace

std::string QuotedText(std::string_view text, std::size_t max_bytes) {
  const std::string_view kept = text.size() > max_bytes ? CutText(text, max_bytes) : text;
  std::string plain;
  bool is_space = true;  // Leading spaces go.
  for (const char c : kept) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_blank = byte <= ' ' || byte == 0x7F;
    if (is_blank && is_space) continue;
    plain += is_blank ? ' ' : c == '`' || c == '"' ? '\'' : c;
    is_space = is_blank;
  }
  if (!plain.empty() && plain.back() == ' ') plain.pop_back();
  plain = Json::parse(Dump(plain)).get<std::string>();  // Bytes that are not UTF-8 are replaced.
  if (kept.size() < text.size()) {
    plain += fmt::format(" […{} bytes cut]", text.size() - kept.size());
  }
  return plain;
}

}  // namespace hone::agent
