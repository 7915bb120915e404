// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/agent/data/question_row.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"

// Whether what a model is tested on was in what it learnt from.
namespace hone::agent {

// What the splits are kept apart by: nothing of an option, or nothing of a goal, in two of them.
enum class SplitBy : std::uint8_t { kOption, kGoal };
std::string_view NameOf(SplitBy by);  // "option", "goal"
Result<SplitBy> SplitByNamed(std::string_view name);

// Two of a kind that stand in different splits; rows are named by id.
struct Leak {
  std::string what;  // An option, a goal, or the ids of two rows.
  std::string in_one;
  std::string in_other;
};

struct LeakReport {
  std::size_t rows = 0;
  std::vector<std::pair<std::string, std::size_t>> splits;  // With their rows; "" is not dealt out.
  std::size_t duplicates = 0;                               // Same goal and items in one split.
  std::vector<Leak> same_questions;                         // Same goal and items.
  std::vector<Leak> same_items;                             // Same items, whatever the goal.
  std::vector<Leak> near_questions;  // Items whose words are mostly the same, whatever the goal.
  std::vector<Leak> shared_options;
  std::vector<Leak> shared_goals;
  std::vector<Leak> near_goals;  // Goals whose words are mostly the same.
  std::size_t leaked_rows = 0;   // Of the rows outside "train", those that are in it verbatim.
};

// Near: the words of two have this share in common (Jaccard: common / all).
inline constexpr double kNearShare = 0.8;

LeakReport FindLeaks(const std::vector<QuestionRow>& rows);

// By option: no question, near question or option in two splits. By goal: no question, goal or near
// goal.
bool IsLeakFree(const LeakReport& report, SplitBy by);

// A few lines for people; names at most `examples` of each.
std::string ToText(const LeakReport& report, SplitBy by, std::size_t examples = 3);
Json ToJson(const LeakReport& report);

// Pairs of texts (by their place) that are near, equal ones included; each once, the lower first.
std::vector<std::pair<std::size_t, std::size_t>> NearPairs(const std::vector<std::string>& texts);

// Title, prompts and keys of a question: the words by which two are near.
std::string WordsOf(const Question& question);

}  // namespace hone::agent
