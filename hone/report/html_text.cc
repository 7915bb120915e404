// SPDX-License-Identifier: Apache-2.0
#include "hone/report/html_text.h"

namespace hone::report {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

unsigned char ByteAt(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// How many bytes the UTF-8 character at the front has; 0 if it is none. Overlong forms, surrogates
// and what lies above U+10FFFF are none (RFC 3629).
std::size_t CharacterSize(std::string_view text) {
  const unsigned char first = ByteAt(text, 0);
  if (first < 0x80) return 1;
  std::size_t size = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    size = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    size = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    size = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  }
  if (size == 0 || text.size() < size) return 0;
  if (ByteAt(text, 1) < low || ByteAt(text, 1) > high) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if (ByteAt(text, i) < 0x80 || ByteAt(text, i) > 0xBF) return 0;
  }
  return size;
}

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
}

std::string_view EntityFor(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string Escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = CharacterSize(text);
    const std::string_view entity = EntityFor(text.front());
    if (size == 0 || IsControl(text.front())) {
      escaped += kReplacement;
    } else if (!entity.empty()) {
      escaped += entity;
    } else {
      escaped += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return escaped;
}

std::string Shorten(std::string_view text, std::size_t max) {
  std::size_t end = 0;
  for (std::size_t count = 0; end < text.size(); ++count) {
    if (count == max) return std::string(text.substr(0, end)) + "…";
    const std::size_t size = CharacterSize(text.substr(end));
    end += size == 0 ? 1 : size;
  }
  return std::string(text);
}

}  // namespace hone::report
