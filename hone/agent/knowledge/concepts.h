// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
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
using FieldTexts = std::array<std::string, kFields>;

// How well it fits, from 0 up.
double ScoreOf(const std::vector<Concept>& concepts, const FieldTexts& fields);

}  // namespace hone::agent
