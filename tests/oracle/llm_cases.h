// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::llm {

// Texts on which two tokenizers could differ: sentences in many languages, source code, white space
// and line breaks of all kinds, digits, emoji, marks that compose, every token of `tokens`, letters
// and bytes at random.
std::vector<std::string> TokenizerCases(const std::vector<std::string>& tokens, std::uint64_t seed,
                                        int random_cases);

}  // namespace hone::llm
