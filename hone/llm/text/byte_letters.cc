// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/byte_letters.h"

#include <array>
#include <cstdint>

#include "hone/llm/text/unicode.h"

namespace hone::llm {
namespace {

constexpr char32_t kFirstShifted = 0x100;

constexpr bool IsVisible(char32_t byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

struct LetterTable {
  std::array<char32_t, 256> letters{};
  std::array<int, 512> bytes{};  // By letter; -1 for what is none.
};

constexpr LetterTable MakeLetterTable() {
  LetterTable table;
  table.bytes.fill(-1);
  char32_t next = kFirstShifted;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const char32_t letter = IsVisible(byte) ? byte : next++;
    table.letters[byte] = letter;
    table.bytes[letter] = static_cast<int>(byte);
  }
  return table;
}

constexpr LetterTable kLetterTable = MakeLetterTable();

}  // namespace

std::string LettersOf(std::string_view bytes) {
  std::string letters;
  for (const char byte : bytes) {
    AppendCharacter(letters, kLetterTable.letters[static_cast<unsigned char>(byte)]);
  }
  return letters;
}

std::string BytesOfLetters(std::string_view letters) {
  std::string bytes;
  std::string_view rest = letters;
  while (!rest.empty()) {
    const std::size_t length = CharacterBytes(rest);
    if (length == 0) return std::string(letters);
    const char32_t letter = CharacterAt(rest);
    if (letter >= kLetterTable.bytes.size() || kLetterTable.bytes[letter] < 0) {
      return std::string(letters);
    }
    bytes += static_cast<char>(kLetterTable.bytes[letter]);
    rest.remove_prefix(length);
  }
  return bytes;
}

}  // namespace hone::llm
