// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hone::llm {

// How many bytes at the front are one whole character of UTF-8; 0 if they are none.
std::size_t CharacterBytes(std::string_view text);

// How many bytes at the end begin a character that is not yet whole; 0 if none do.
std::size_t UnfinishedBytes(std::string_view text);

// What is no UTF-8 becomes U+FFFD, one for each longest beginning of a character (Unicode 15, 3.9).
std::string ValidUtf8(std::string_view text);
bool IsValidUtf8(std::string_view text);

void AppendCharacter(std::string& text, char32_t character);
char32_t CharacterAt(std::string_view text);  // The first of a valid text that is not empty.

// White_Space at one end of a valid text, in bytes; and whether it has a letter, digit, mark or
// underscore there.
std::size_t SpacesAtFront(std::string_view text);
std::size_t SpacesAtEnd(std::string_view text);
bool BeginsWithWord(std::string_view text);
bool EndsInWord(std::string_view text);
bool IsSpace(char32_t character);

// The canonical composition. The text must be valid UTF-8.
std::string Nfc(std::string_view text);

}  // namespace hone::llm
