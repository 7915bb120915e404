// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>

#include "hone/core/check.h"

namespace hone::llm {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

unsigned char ByteAt(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

struct Lead {
  std::size_t length = 0;  // Of the whole character; 0 for a byte that begins none.
  unsigned char min_second = 0x80;
  unsigned char max_second = 0xbf;
};

// Table 3-7 of the Unicode standard: the second byte is what keeps out overlong forms, surrogates
// and what is over U+10FFFF.
Lead LeadOf(unsigned char byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xc2) return {0};
  if (byte < 0xe0) return {2};
  if (byte == 0xe0) return {3, 0xa0, 0xbf};
  if (byte == 0xed) return {3, 0x80, 0x9f};
  if (byte < 0xf0) return {3};
  if (byte == 0xf0) return {4, 0x90, 0xbf};
  if (byte < 0xf4) return {4};
  if (byte == 0xf4) return {4, 0x80, 0x8f};
  return {0};
}

// The longest beginning of a character at the front, at least one byte, and whether it is whole.
struct Beginning {
  std::size_t bytes = 1;
  bool is_whole = false;
  bool is_cut = false;  // Nothing is wrong with it but that the text ends.
};

Beginning BeginningOf(std::string_view text) {
  const Lead lead = LeadOf(ByteAt(text, 0));
  if (lead.length == 0) return {};
  if (lead.length == 1) return {1, true, false};
  std::size_t bytes = 1;
  while (bytes < lead.length && bytes < text.size()) {
    const unsigned char byte = ByteAt(text, bytes);
    const unsigned char min = bytes == 1 ? lead.min_second : 0x80;
    const unsigned char max = bytes == 1 ? lead.max_second : 0xbf;
    if (byte < min || byte > max) return {bytes, false, false};
    ++bytes;
  }
  return {bytes, bytes == lead.length, bytes < lead.length};
}

struct SafeRange {
  char32_t first;
  char32_t last;
};

// Characters that are composed already and compose with nothing before or after them but with
// characters that are not here. Only these are common enough to be worth a row.
constexpr SafeRange kSafe[] = {
    {0x0, 0x2ff},     {0x400, 0x482},   {0x48a, 0x52f},     {0x2010, 0x2027}, {0x2030, 0x205e},
    {0x2190, 0x21cc}, {0x2500, 0x25ff}, {0x3041, 0x3096},   {0x309b, 0x30fa}, {0x4e00, 0x9fff},
    {0xac00, 0xd7a3}, {0xff01, 0xff5e}, {0x1f300, 0x1f64f}, {0x3000, 0x3020}};

bool IsSafe(char32_t character) {
  return std::any_of(std::begin(kSafe), std::end(kSafe), [character](const SafeRange& range) {
    return character >= range.first && character <= range.last;
  });
}

bool IsSurelyComposed(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (ByteAt(text, at) < 0xcc) {  // Under U+0300, or the second byte of such a character.
      ++at;
      continue;
    }
    const std::string_view rest = text.substr(at);
    if (!IsSafe(CharacterAt(rest))) return false;
    at += LeadOf(ByteAt(rest, 0)).length;
  }
  return true;
}

std::string_view LastCharacter(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (ByteAt(text, at) & 0xc0) == 0x80) --at;
  return text.substr(at);
}

bool IsWordCharacter(char32_t character) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(character))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      return character == 0x200c || character == 0x200d;
  }
}

}  // namespace

bool IsSpace(char32_t c) {
  return (c >= 0x9 && c <= 0xd) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

std::size_t SpacesAtFront(std::string_view text) {
  std::size_t bytes = 0;
  while (bytes < text.size() && IsSpace(CharacterAt(text.substr(bytes)))) {
    bytes += LeadOf(ByteAt(text, bytes)).length;
  }
  return bytes;
}

std::size_t SpacesAtEnd(std::string_view text) {
  const std::size_t size = text.size();
  while (!text.empty() && IsSpace(CharacterAt(LastCharacter(text)))) {
    text.remove_suffix(LastCharacter(text).size());
  }
  return size - text.size();
}

bool BeginsWithWord(std::string_view text) {
  return !text.empty() && IsWordCharacter(CharacterAt(text));
}

bool EndsInWord(std::string_view text) {
  return !text.empty() && IsWordCharacter(CharacterAt(LastCharacter(text)));
}

std::size_t CharacterBytes(std::string_view text) {
  if (text.empty()) return 0;
  const Beginning beginning = BeginningOf(text);
  return beginning.is_whole ? beginning.bytes : 0;
}

std::size_t UnfinishedBytes(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const std::string_view end = text.substr(text.size() - back);
    if ((ByteAt(end, 0) & 0xc0) == 0x80) continue;
    const Beginning beginning = BeginningOf(end);
    return beginning.is_cut && beginning.bytes == back ? back : 0;
  }
  return 0;
}

bool IsValidUtf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (ByteAt(text, at) < 0x80) {
      ++at;
      continue;
    }
    const Beginning beginning = BeginningOf(text.substr(at));
    if (!beginning.is_whole) return false;
    at += beginning.bytes;
  }
  return true;
}

std::string ValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const Beginning beginning = BeginningOf(text);
    valid += beginning.is_whole ? text.substr(0, beginning.bytes) : kReplacement;
    text.remove_prefix(beginning.bytes);
  }
  return valid;
}

void AppendCharacter(std::string& text, char32_t character) {
  const auto add = [&text](char32_t byte) { text += static_cast<char>(byte); };
  if (character < 0x80) return add(character);
  if (character < 0x800) {
    add(0xc0 | (character >> 6));
  } else if (character < 0x10000) {
    add(0xe0 | (character >> 12));
    add(0x80 | ((character >> 6) & 0x3f));
  } else {
    add(0xf0 | (character >> 18));
    add(0x80 | ((character >> 12) & 0x3f));
    add(0x80 | ((character >> 6) & 0x3f));
  }
  add(0x80 | (character & 0x3f));
}

char32_t CharacterAt(std::string_view text) {
  const unsigned char first = ByteAt(text, 0);
  const std::size_t length = LeadOf(first).length;
  if (length <= 1 || text.size() < length) return first;
  char32_t character = first & (0xffU >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) character = (character << 6) | (ByteAt(text, k) & 0x3f);
  return character;
}

std::string Nfc(std::string_view text) {
  if (IsSurelyComposed(text)) return std::string(text);
  utf8proc_uint8_t* composed = nullptr;
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);  // NOLINT: a set of bits
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &composed, options);
  HONE_CHECK(size >= 0);  // The text is valid; memory is all that it could lack.
  std::string result(reinterpret_cast<const char*>(composed), static_cast<std::size_t>(size));
  std::free(composed);
  return result;
}

}  // namespace hone::llm
