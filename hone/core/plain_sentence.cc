// SPDX-License-Identifier: Apache-2.0
#include "hone/core/plain_sentence.h"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "hone/core/letter_case.h"

namespace hone {
namespace {

constexpr int kNegationReach = 3;  // Words after "not" that it still covers.

bool IsNegation(const std::string& word) {
  static const std::set<std::string> negations{
      "not",     "no",  "without", "except", "ignore",    "ignoring", "never",      "sacrifice",
      "neither", "nor", "don",     "dont",   "excluding", "unlike",   "sacrificing"};
  return negations.contains(word);
}

// Words that a sentence needs and that ask for nothing.
bool IsFiller(const std::string& word) {
  static const std::set<std::string> fillers{
      "a",        "about",       "after",     "all",       "also",        "am",         "an",
      "and",      "application", "are",       "as",        "at",          "be",         "because",
      "best",     "better",      "big",       "but",       "by",          "can",        "could",
      "do",       "does",        "for",       "from",      "get",         "give",       "great",
      "has",      "have",        "heavy",     "help",      "high",        "higher",     "i",
      "improve",  "in",          "increase",  "intensive", "is",          "it",         "its",
      "just",     "keep",        "keeping",   "kernel",    "large",       "less",       "linux",
      "load",     "lot",         "lots",      "low",       "lower",       "machine",    "make",
      "many",     "maximise",    "maximize",  "me",        "minimise",    "minimize",   "more",
      "most",     "much",        "my",        "need",      "of",          "on",         "optimal",
      "optimise", "optimize",    "or",        "our",       "performance", "please",     "possible",
      "program",  "quick",       "quicker",   "quickly",   "random",      "reduce",     "request",
      "requests", "response",    "responses", "run",       "running",     "runs",       "s",
      "server",   "servers",     "service",   "set",       "should",      "simulation", "slow",
      "slower",   "small",       "so",        "some",      "store",       "system",     "t",
      "than",     "that",        "the",       "their",     "this",        "time",       "times",
      "to",       "too",         "tune",      "tuning",    "up",          "use",        "uses",
      "using",    "very",        "want",      "we",        "when",        "which",      "while",
      "will",     "with",        "workload",  "workloads", "would",       "you",        "your"};
  return fillers.contains(word);
}

// "give up" and "giving up", which are two words.
bool IsGivingUp(const std::string& word, const std::string& next) {
  return (word == "give" || word == "giving") && next == "up";
}

}  // namespace

std::vector<std::string> ClauseWords(const std::string& sentence) {
  std::vector<std::string> words(1);
  for (const char letter : sentence) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) != 0) {
      words.back() += LowerCase(letter);
      continue;
    }
    if (!words.back().empty()) words.emplace_back();
    if (std::string_view(",;.:").find(letter) != std::string_view::npos) words.emplace_back();
  }
  return words;
}

std::string IdeaOf(const std::string& word, const IdeaWords& said) {
  std::string singular = word;
  if (singular.size() > 3 && singular.ends_with('s')) singular.pop_back();
  for (const auto& [idea, words] : said) {
    if (idea == word || words.contains(word) || words.contains(singular)) return idea;
  }
  return "";
}

PlainSentence Understand(const std::string& sentence, const IdeaWords& said) {
  PlainSentence understood;
  const std::vector<std::string> words = ClauseWords(sentence);
  int negated = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string next = i + 1 < words.size() ? words[i + 1] : "";
    if (word.empty() || word == "but") negated = 0;
    if (IsNegation(word) || IsGivingUp(word, next)) {
      negated = kNegationReach + 1;
      if (IsGivingUp(word, next)) ++i;
      continue;
    }
    std::string idea = word.empty() || next.empty() ? "" : IdeaOf(word + next, said);
    const std::string from = idea.empty() ? word : fmt::format("{} {}", word, next);
    if (idea.empty()) {
      idea = IdeaOf(word, said);
    } else {
      ++i;
    }
    if (!word.empty() && negated > 0) --negated;
    if (negated > 0) {
      if (!idea.empty()) understood.without.insert(idea);
      continue;
    }
    understood.words.insert(word);
    if (!idea.empty()) {
      understood.ideas.emplace(idea, from);
    } else if (!word.empty() && !IsFiller(word)) {
      understood.others.push_back(word);
    }
  }
  for (const std::string& idea : understood.without) understood.ideas.erase(idea);
  return understood;
}

std::vector<std::string> IdeasWithWords(const PlainSentence& sentence) {
  std::vector<std::string> texts;
  texts.reserve(sentence.ideas.size());
  for (const auto& [idea, words] : sentence.ideas) {
    texts.push_back(idea == words ? idea : fmt::format("{} ({})", idea, words));
  }
  return texts;
}

}  // namespace hone
