// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "hone/core/letter_case.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMinStem = 3;
constexpr std::size_t kMaxWord = 40;  // Longer ones are no words: digests, keys.

bool IsWordByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || byte >= 0x80;
}

bool HasVowel(std::string_view text) {
  return text.find_first_of("aeiouy") != std::string_view::npos;
}

// Takes the ending off if enough of a word is left.
bool Drop(std::string& word, std::string_view ending, std::size_t min = kMinStem) {
  if (word.size() < ending.size() + min || !word.ends_with(ending)) return false;
  if (!HasVowel(std::string_view(word).substr(0, word.size() - ending.size()))) return false;
  word.resize(word.size() - ending.size());
  return true;
}

void DropPlural(std::string& word) {
  if (word.ends_with("'s")) word.resize(word.size() - 2);
  if (word.size() < 4 || !word.ends_with("s") || word.ends_with("ss") || word.ends_with("us") ||
      word.ends_with("is")) {
    return;
  }
  if (word.size() > 4 && word.ends_with("ies")) {
    word.replace(word.size() - 3, 3, "y");
  } else if (word.ends_with("sses") || word.ends_with("xes") || word.ends_with("ches") ||
             word.ends_with("shes")) {
    word.resize(word.size() - 2);
  } else {
    word.pop_back();
  }
}

// What the endings of verbs leave: "swapp" of swapping, "split" of splitting.
void Undouble(std::string& word) {
  const std::size_t size = word.size();
  if (size < 4 || word[size - 1] != word[size - 2]) return;
  if (std::string_view("lsz").find(word.back()) != std::string_view::npos) return;
  word.pop_back();
}

bool IsNumberLike(std::string_view word) {
  return std::any_of(word.begin(), word.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Sorted, for a binary search.
constexpr std::array<std::string_view, 134> kStopWords = {
    "a",     "about",  "after",  "again", "all",    "also",  "although", "am",      "an",
    "and",   "any",    "are",    "as",    "at",     "be",    "because",  "been",    "before",
    "being", "best",   "better", "but",   "by",     "can",   "cannot",   "care",    "certain",
    "come",  "could",  "did",    "do",    "does",   "doing", "done",     "each",    "enough",
    "every", "few",    "fewer",  "for",   "from",   "get",   "gets",     "getting", "give",
    "gives", "go",     "goes",   "good",  "had",    "has",   "have",     "having",  "he",
    "her",   "here",   "how",    "i",     "if",     "in",    "instead",  "into",    "is",
    "it",    "its",    "just",   "know",  "let",    "lets",  "like",     "made",    "make",
    "makes", "making", "many",   "may",   "me",     "more",  "most",     "much",    "must",
    "my",    "need",   "needed", "no",    "not",    "of",    "often",    "on",      "one",
    "only",  "or",     "other",  "our",   "out",    "over",  "own",      "please",  "say",
    "says",  "see",    "set",    "shall", "should", "so",    "some",     "such",    "than",
    "that",  "the",    "their",  "them",  "then",   "there", "these",    "they",    "this",
    "those", "to",     "too",    "up",    "use",    "used",  "uses",     "using",   "very",
    "want",  "was",    "we",     "were",  "what",   "when",  "where",    "which"};
constexpr std::array<std::string_view, 13> kMoreStopWords = {
    "while",  "who",     "whole", "whose", "why", "will", "with",
    "within", "without", "would", "yet",   "you", "your"};

}  // namespace

std::string StemOf(std::string_view text) {
  std::string word(text);
  if (word.size() <= kMinStem || IsNumberLike(word)) return word;
  DropPlural(word);
  const bool was_verb = Drop(word, "ing") || Drop(word, "ed");
  if (was_verb) Undouble(word);
  if (Drop(word, "ization", 3) || Drop(word, "isation", 3) || Drop(word, "ation", 4) ||
      Drop(word, "ize", 4) || Drop(word, "ise", 4) || Drop(word, "iz", 4) || Drop(word, "is", 5) ||
      Drop(word, "ibility", 4) || Drop(word, "ability", 4) || Drop(word, "ible", 4) ||
      Drop(word, "able", 4) || Drop(word, "ment", 5) || Drop(word, "ness", 4) ||
      Drop(word, "ive", 4) || Drop(word, "ly", 4) || Drop(word, "ate", 4) ||
      (was_verb && Drop(word, "at", 4))) {
    return word;
  }
  if ((word.ends_with("sion") || word.ends_with("tion")) && Drop(word, "ion", 4)) return word;
  if (Drop(word, "er", 4) || Drop(word, "or", 5)) Undouble(word);
  if (word.size() > kMinStem + 1 && word.ends_with("e")) word.pop_back();
  if (word.size() > kMinStem + 1 && word.ends_with("y")) word.back() = 'i';
  return word;
}

namespace {

std::vector<std::string> PlainWords(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty() && word.size() <= kMaxWord) words.push_back(word);
    word.clear();
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (IsWordByte(c)) {
      word += LowerCase(c);
    } else if (c == '\'' && at + 1 < text.size() && text[at + 1] == 's') {
      ++at;  // "scheduler's"
    } else if (c == '/' && word == "i" && at + 1 < text.size() &&
               (text[at + 1] == 'o' || text[at + 1] == 'O')) {
      continue;  // I/O is one word.
    } else {
      finish();
    }
  }
  finish();
  return words;
}

}  // namespace

std::vector<std::string> StemsOf(std::string_view text) {
  std::vector<std::string> words = PlainWords(text);
  for (std::string& word : words) word = StemOf(word);
  return words;
}

std::string IndexText(std::string_view text) {
  std::string line;
  for (const std::string& stem : StemsOf(text)) {
    if (!line.empty()) line += ' ';
    line += stem;
  }
  return line;
}

bool IsStopWord(std::string_view word) {
  return std::binary_search(kStopWords.begin(), kStopWords.end(), word) ||
         std::binary_search(kMoreStopWords.begin(), kMoreStopWords.end(), word);
}

std::vector<std::string> QuestionStems(std::string_view question) {
  std::vector<std::string> kept;
  std::vector<std::string> all;
  for (const std::string& word : PlainWords(question)) {
    all.push_back(StemOf(word));
    if (!IsStopWord(word)) kept.push_back(all.back());
  }
  return kept.empty() ? all : kept;
}

std::vector<std::string> IdentifiersIn(std::string_view question) {
  std::vector<std::string> found;
  std::string word;
  const auto finish = [&] {
    std::string name = word.substr(0, word.find('='));
    word.clear();
    while (!name.empty() && std::string_view(".,:;?!").find(name.back()) != std::string_view::npos)
      name.pop_back();
    if (name.starts_with("CONFIG_")) name.erase(0, 7);
    const bool is_shout = name.size() > 1 && std::all_of(name.begin(), name.end(), [](char c) {
                            return std::isupper(static_cast<unsigned char>(c)) != 0 ||
                                   std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '_';
                          });
    const bool is_joined = name.find_first_of("_./-") != std::string::npos && name.size() > 3;
    if (is_shout || is_joined) found.push_back(name);
  };
  for (const char c : question) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '"' || c == '(' || c == ')') {
      finish();
    } else {
      word += c;
    }
  }
  finish();
  return found;
}

}  // namespace hone::agent
