// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hone::llm {

// In a tokenizer.json a byte is written as a letter that can be seen: those from ! to ~, ¡ to ¬ and
// ® to ÿ as the character of that number, the other 68 in rising order from U+0100.
std::string LettersOf(std::string_view bytes);

// The bytes behind the letters. A text with any other character stands for itself.
std::string BytesOfLetters(std::string_view letters);

}  // namespace hone::llm
