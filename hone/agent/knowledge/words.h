// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// Texts as the search sees them: words in small letters, without their endings.
namespace hone::agent {

// What is left of a word when its endings are taken off, so that "allocating", "allocation" and
// "allocated" are one: not a word of any language, but the same for the same family. Lower case in,
// lower case out.
std::string StemOf(std::string_view word);

// The stems of a text in their order. NO_HZ_FULL is three words, and so is vm.dirty_ratio.
std::vector<std::string> StemsOf(std::string_view text);

// The same as one line, as the index keeps it.
std::string IndexText(std::string_view text);

// Whether it says nothing about the subject: "the", "how", "want". Of a word in small letters.
bool IsStopWord(std::string_view word);

// The words of a question: no stop words unless there are no others.
std::vector<std::string> QuestionStems(std::string_view question);

// Parts of a question that look like names of options, parameters or files: NO_HZ_FULL,
// tcp_rmem, vm.swappiness, /sys/kernel/mm. Without CONFIG_ and what is behind a =.
std::vector<std::string> IdentifiersIn(std::string_view question);

}  // namespace hone::agent
