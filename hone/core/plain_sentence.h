// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

// What a plain sentence ("faster system calls, not the network") is about, by its words alone.
namespace hone {

// What people say, by the idea that they mean: {"memory", {"ram", "heap"}}. Lower case, in the
// singular; two words that mean something together are written as one: "hugepage".
using IdeaWords = std::map<std::string, std::set<std::string>>;

struct PlainSentence {
  std::map<std::string, std::string> ideas;  // And the words that each came from.
  std::set<std::string> without;             // Ideas that are to be left aside, or given up.
  std::set<std::string> words;               // All that are not negated.
  std::vector<std::string> others;           // Words that mean nothing here, in their order.
};

// "not", "without" and "give up" reach over some words, at most to the end of their clause.
PlainSentence Understand(const std::string& sentence, const IdeaWords& said);

// The idea behind a word, which may be in the plural; empty if it is none.
std::string IdeaOf(const std::string& word, const IdeaWords& said);

// Words in lower case; "" stands where a clause ends.
std::vector<std::string> ClauseWords(const std::string& sentence);

// "memory (ram)", "network": the ideas, each with the words that it came from.
std::vector<std::string> IdeasWithWords(const PlainSentence& sentence);

}  // namespace hone
