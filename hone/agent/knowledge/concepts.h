// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hone/agent/knowledge/passage.h"
#include "hone/base/sqlite/sqlite.h"
#include "hone/core/result.h"

// What a question asks for, and how much of it a passage has.
namespace hone::agent {

// A stem that may stand for a concept.
struct ConceptWord {
  std::string stem;
  double weight = 1;          // 1: it is in the question; a synonym has less.
  std::int64_t passages = 0;  // That have it.
  double rarity = 0;          // Its idf.
};

struct Concept {
  std::vector<ConceptWord> words;
  double rarity = 0;  // What a passage that has it gets at most.
};

// The concepts of a question that some passage has. Reads how rare the words are.
Result<std::vector<Concept>> ConceptsOf(Database& database, std::string_view question);

// The stems of a passage as the index has them: names, title, topics, body.
inline constexpr std::size_t kFields = 4;
using FieldTexts = std::array<std::string_view, kFields>;

// Says how well passages fit a question; made once for all of them. Borrows the concepts.
class PassageScorer {
 public:
  explicit PassageScorer(const std::vector<Concept>& concepts);

  double ScoreOf(const FieldTexts& fields);  // From 0 up.

 private:
  void Count(const FieldTexts& fields);
  double FrequencyOf(std::size_t place) const;

  const std::vector<Concept>& concepts_;
  std::unordered_map<std::string_view, std::size_t> places_;  // Of each wanted stem in counts_.
  std::vector<std::size_t> place_of_word_;                    // Of all concepts' words in turn.
  std::vector<std::array<double, kFields>> counts_;           // In the passage at hand.
  std::array<double, kFields> lengths_{};                     // Of its fields, in words.
};

}  // namespace hone::agent
