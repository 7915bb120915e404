// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/leak_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "hone/core/letter_case.h"

namespace hone::agent {
namespace {

constexpr std::array<std::string_view, 2> kSplitWays = {"option", "goal"};

std::set<std::string> WordSet(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) != 0 || byte >= 0x80) {  // Letters of other scripts are letters too.
      word += LowerCase(letter);
    } else if (!word.empty()) {
      words.insert(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.insert(std::move(word));
  return words;
}

double ShareInCommon(const std::set<std::string>& a, const std::set<std::string>& b) {
  if (a.empty() && b.empty()) return 1;
  const auto common = static_cast<double>(
      std::count_if(a.begin(), a.end(), [&b](const auto& word) { return b.contains(word); }));
  return common / (static_cast<double>(a.size() + b.size()) - common);
}

// The rarest words of a text, so many that any near text has one of them among its own rarest: two
// sets that share the part t of their words cannot differ in all of the |A| - ceil(t |A|) + 1 words
// of A that come first in an order which is the same for both (prefix filter; Chaudhuri et al.,
// 2006).
std::vector<std::string> RareWords(const std::set<std::string>& words,
                                   const std::map<std::string, std::size_t>& counts) {
  std::vector<std::string> ordered(words.begin(), words.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](const auto& a, const auto& b) { return counts.at(a) < counts.at(b); });
  if (ordered.empty()) return ordered;
  const auto needed = std::ceil(kNearShare * static_cast<double>(ordered.size()) - 1e-9);
  ordered.resize(ordered.size() - static_cast<std::size_t>(needed) + 1);
  return ordered;
}

std::string ItemsText(const Question& question) {
  std::set<std::string> keys;
  for (const QuestionItem& item : question.items) keys.insert(item.key);
  return fmt::format("{}\n{}", NameOf(question.kind), fmt::join(keys, "\n"));
}

// Goals that differ in case, blanks and signs are one.
std::string PlainGoal(const std::string& goal) {
  return fmt::format("{}", fmt::join(WordSet(goal), " "));
}

using SplitsByText = std::map<std::string, std::map<std::string, std::string>>;

// For each text that stands in two splits, one leak with a row of each.
std::vector<Leak> InTwoSplits(const SplitsByText& places, bool names_text) {
  std::vector<Leak> leaks;
  for (const auto& [text, splits] : places) {
    if (splits.size() < 2) continue;
    const auto& [one, one_id] = *splits.begin();
    const auto& [other, other_id] = *splits.rbegin();
    leaks.push_back({names_text ? text : fmt::format("{} and {}", one_id, other_id), one, other});
  }
  return leaks;
}

void FindNearQuestions(const std::vector<QuestionRow>& rows, LeakReport& report) {
  std::vector<std::string> texts;
  texts.reserve(rows.size());
  for (const QuestionRow& row : rows) texts.push_back(WordsOf(row.question));
  for (const auto& [a, b] : NearPairs(texts)) {
    if (rows[a].split == rows[b].split) continue;
    if (ItemsText(rows[a].question) == ItemsText(rows[b].question)) continue;
    report.near_questions.push_back(
        {fmt::format("{} and {}", rows[a].id, rows[b].id), rows[a].split, rows[b].split});
  }
}

void FindNearGoals(const SplitsByText& goals, LeakReport& report) {
  std::vector<std::string> texts;
  for (const auto& [goal, splits] : goals) texts.push_back(goal);
  for (const auto& [a, b] : NearPairs(texts)) {
    const auto& first = goals.at(texts[a]);
    const auto& second = goals.at(texts[b]);
    std::set<std::string> splits;
    for (const auto& [split, id] : first) splits.insert(split);
    for (const auto& [split, id] : second) splits.insert(split);
    if (splits.size() < 2) continue;
    report.near_goals.push_back(
        {fmt::format("\"{}\" and \"{}\"", texts[a], texts[b]), *splits.begin(), *splits.rbegin()});
  }
}

std::size_t CountLeakedRows(const std::vector<QuestionRow>& rows) {
  std::set<std::string> learnt;
  for (const QuestionRow& row : rows) {
    if (row.split == "train") learnt.insert(ItemsText(row.question));
  }
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&learnt](const QuestionRow& row) {
        return row.split != "train" && learnt.contains(ItemsText(row.question));
      }));
}

void AddLeakLine(std::string& text, std::string_view name, const std::vector<Leak>& leaks,
                 std::size_t examples) {
  if (leaks.empty()) return;
  text += fmt::format("  {}: {}", name, leaks.size());
  for (std::size_t i = 0; i < std::min(examples, leaks.size()); ++i) {
    text += fmt::format("{}{:.80} ({}, {})", i == 0 ? ": " : "; ", leaks[i].what, leaks[i].in_one,
                        leaks[i].in_other);
  }
  text += leaks.size() > examples ? "; …\n" : "\n";
}

Json LeaksJson(const std::vector<Leak>& leaks) {
  Json json = Json::array();
  for (const Leak& leak : leaks) {
    json.push_back({{"what", leak.what}, {"splits", {leak.in_one, leak.in_other}}});
  }
  return json;
}

}  // namespace

std::string_view NameOf(SplitBy by) { return kSplitWays.at(static_cast<std::size_t>(by)); }

Result<SplitBy> SplitByNamed(std::string_view name) {
  if (name == kSplitWays[0]) return SplitBy::kOption;
  if (name == kSplitWays[1]) return SplitBy::kGoal;
  return Error{Errc::kInvalidArgument, fmt::format("\"{:.40}\": expected option or goal", name)};
}

std::string WordsOf(const Question& question) {
  std::string text = question.title;
  for (const QuestionItem& item : question.items) text += " " + item.key + " " + item.prompt;
  return text;
}

std::vector<std::pair<std::size_t, std::size_t>> NearPairs(const std::vector<std::string>& texts) {
  std::vector<std::set<std::string>> words;
  std::map<std::string, std::size_t> counts;
  for (const std::string& text : texts) {
    words.push_back(WordSet(text));
    for (const std::string& word : words.back()) ++counts[word];
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::map<std::string, std::vector<std::size_t>> earlier;  // Texts by their rare words.
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::set<std::size_t> candidates;
    for (const std::string& word : RareWords(words[i], counts)) {
      auto& others = earlier[word];
      candidates.insert(others.begin(), others.end());
      others.push_back(i);
    }
    for (const std::size_t other : candidates) {
      if (ShareInCommon(words[other], words[i]) >= kNearShare) pairs.emplace_back(other, i);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

LeakReport FindLeaks(const std::vector<QuestionRow>& rows) {
  LeakReport report;
  report.rows = rows.size();
  std::map<std::string, std::size_t> splits;
  std::set<std::string> seen;
  SplitsByText questions;
  SplitsByText items;
  SplitsByText options;
  SplitsByText goals;
  for (const QuestionRow& row : rows) {
    ++splits[row.split];
    const std::string plain = ItemsText(row.question);
    const std::string with_goal = PlainGoal(row.goal) + "\n" + plain;
    if (!seen.insert(row.split + "\n" + with_goal).second) ++report.duplicates;
    questions[with_goal].emplace(row.split, row.id);
    items[plain].emplace(row.split, row.id);
    goals[PlainGoal(row.goal)].emplace(row.split, row.id);
    for (const QuestionItem& item : row.question.items)
      options[item.key].emplace(row.split, row.id);
  }
  report.splits.assign(splits.begin(), splits.end());
  report.same_questions = InTwoSplits(questions, false);
  report.same_items = InTwoSplits(items, false);
  report.shared_options = InTwoSplits(options, true);
  report.shared_goals = InTwoSplits(goals, true);
  FindNearQuestions(rows, report);
  FindNearGoals(goals, report);
  report.leaked_rows = CountLeakedRows(rows);
  return report;
}

bool IsLeakFree(const LeakReport& report, SplitBy by) {
  if (!report.same_questions.empty()) return false;
  if (by == SplitBy::kGoal) return report.shared_goals.empty() && report.near_goals.empty();
  return report.same_items.empty() && report.shared_options.empty() &&
         report.near_questions.empty();
}

std::string ToText(const LeakReport& report, SplitBy by, std::size_t examples) {
  std::string text = fmt::format("{} questions", report.rows);
  for (const auto& [split, count] : report.splits) {
    text += fmt::format(", {} {}", count, split.empty() ? "not dealt out" : split);
  }
  text += fmt::format("; {} are there twice in one split\n", report.duplicates);
  AddLeakLine(text, "the same question in two splits", report.same_questions, examples);
  AddLeakLine(text, "the same items in two splits", report.same_items, examples);
  AddLeakLine(text, "nearly the same items in two splits", report.near_questions, examples);
  AddLeakLine(text, "options in two splits", report.shared_options, examples);
  AddLeakLine(text, "goals in two splits", report.shared_goals, examples);
  AddLeakLine(text, "nearly the same goals in two splits", report.near_goals, examples);
  if (report.leaked_rows > 0) {
    text += fmt::format("  {} questions outside train are in it\n", report.leaked_rows);
  }
  return text + fmt::format("Split by {}: {}.\n", NameOf(by),
                            IsLeakFree(report, by) ? "nothing leaks" : "it leaks");
}

Json ToJson(const LeakReport& report) {
  Json splits = Json::object();
  for (const auto& [split, count] : report.splits) splits[split] = count;
  return {{"rows", report.rows},
          {"splits", splits},
          {"duplicates", report.duplicates},
          {"same_questions", LeaksJson(report.same_questions)},
          {"same_items", LeaksJson(report.same_items)},
          {"near_questions", LeaksJson(report.near_questions)},
          {"shared_options", LeaksJson(report.shared_options)},
          {"shared_goals", LeaksJson(report.shared_goals)},
          {"near_goals", LeaksJson(report.near_goals)},
          {"leaked_rows", report.leaked_rows},
          {"leak_free_by_option", IsLeakFree(report, SplitBy::kOption)},
          {"leak_free_by_goal", IsLeakFree(report, SplitBy::kGoal)}};
}

}  // namespace hone::agent
