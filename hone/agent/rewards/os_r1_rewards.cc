// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/os_r1_rewards.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "hone/base/json/json.h"
#include "hone/core/letter_case.h"
#include "hone/core/trimmed.h"

namespace hone::agent {
namespace {

constexpr std::string_view kUnknownImpact = "cannot determine impact without specific context";

std::vector<std::string_view> SplitAt(std::string_view text, char sign) {
  std::vector<std::string_view> parts;
  for (auto at = text.find(sign); at != text.npos; at = text.find(sign)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

std::size_t CountOf(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + word.size())) ++count;
  return count;
}

// Begins with <think>, ends with </TAG> (a line break may follow), and somewhere between a thinking
// ends right before <TAG>.
bool IsThinkThen(std::string_view text, std::string_view tag) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::string open = fmt::format("</think>\n<{}>", tag);
  const std::string close = fmt::format("</{}>", tag);
  if (!text.starts_with("<think>") || !text.ends_with(close)) return false;
  const auto middle = text.find(open, 7);
  return middle != text.npos && middle + open.size() + close.size() <= text.size();
}

bool IsToolBlock(std::string_view text) {
  for (const char* mark : {"<think>", "</think>", "<tool_call>", "</tool_call>"}) {
    if (CountOf(text, mark) != 1) return false;
  }
  return IsThinkThen(text, "tool_call");
}

std::optional<std::string_view> FirstAnswer(std::string_view text) {
  static constexpr std::string_view kOpen = "<answer>";
  const auto open = text.find(kOpen);
  if (open == text.npos) return std::nullopt;
  const auto close = text.find("</answer>", open + kOpen.size());
  if (close == text.npos) return std::nullopt;
  return Trimmed(text.substr(open + kOpen.size(), close - open - kOpen.size()));
}

bool IsBracketed(std::string_view line) { return line.front() == '[' && line.back() == ']'; }

std::string_view WithoutBrackets(std::string_view line) {
  return line.size() < 2 ? std::string_view() : line.substr(1, line.size() - 2);
}

struct BoolLines {
  bool are_bracketed = true;
  bool are_split = true;
  std::optional<bool> are_legal = std::nullopt;
  std::vector<std::pair<std::string, std::string_view>> said = {};
};

BoolLines ReadBoolLines(std::string_view answer) {
  BoolLines read;
  for (std::string_view line : SplitAt(answer, '\n')) {
    if (line.empty()) continue;
    if (IsBracketed(line)) {
      line = WithoutBrackets(line);
    } else {
      read.are_bracketed = false;
    }
    const auto parts = SplitAt(line, '-');
    if (parts.size() != 2) {
      read.are_split = false;
      continue;
    }
    const std::string_view value = Trimmed(parts[1]);
    if (value != "increase" && value != "decrease" && value != kUnknownImpact) {
      read.are_legal = false;
      continue;
    }
    if (!read.are_legal) read.are_legal = true;
    read.said.emplace_back(LowerCase(Trimmed(parts[0])), value);
  }
  return read;
}

std::string_view WordOf(std::int64_t value) {
  if (value == 0) return "decrease";
  return value == 2 ? "increase" : kUnknownImpact;
}

// nullopt: Python would have thrown.
std::optional<double> BoolScore(std::string_view answer, const Json& truth) {
  if (!truth.is_array() || truth.empty()) return std::nullopt;
  std::map<std::string, std::int64_t> values;
  for (const Json& entry : truth) {
    const bool is_entry = entry.is_object() && entry.contains("config") &&
                          entry["config"].is_string() && entry.contains("value") &&
                          entry["value"].is_number_integer();
    if (!is_entry) return std::nullopt;
    values[entry["config"].get<std::string>()] = entry["value"].get<std::int64_t>();
  }
  const BoolLines lines = ReadBoolLines(answer);
  int right = 0;
  for (const auto& [name, word] : lines.said) {
    const auto found = values.find(name);
    if (found == values.end()) continue;
    if (found->second != 0 && found->second != 2 && found->second != -1) return std::nullopt;
    if (WordOf(found->second) == word) ++right;
    values.erase(found);
  }
  return (lines.are_bracketed ? 0.1 : 0) + (lines.are_split ? 0.1 : 0) +
         (lines.are_legal.value_or(false) ? 0.1 : 0) +
         0.7 * right / static_cast<double>(truth.size());
}

std::optional<double> MenuScore(std::string_view answer, const Json& truth) {
  if (!truth.is_array() || truth.empty()) return std::nullopt;
  std::set<std::string> wanted;
  for (const Json& entry : truth) {
    if (!entry.is_string()) return std::nullopt;
    wanted.insert(LowerCase(entry.get<std::string>()));
  }
  bool are_bracketed = true;
  int right = 0;
  for (std::string_view line : SplitAt(answer, '\n')) {
    if (line.empty()) continue;
    if (IsBracketed(line)) {
      line = WithoutBrackets(line);
    } else {
      are_bracketed = false;
    }
    if (wanted.erase(LowerCase(line)) > 0) ++right;
  }
  return (are_bracketed ? 0.1 : 0) + 0.9 * right / static_cast<double>(truth.size());
}

double ChoiceScore(std::string_view answer, const std::string& truth_json) {
  if (answer.empty()) return 0;
  double score = 0;
  if (IsBracketed(answer)) {
    answer = WithoutBrackets(answer);
    score += 0.2;
  }
  return score + (LowerCase(answer) == LowerCase(truth_json) ? 0.8 : 0);
}

double ValueScore(std::string_view answer, const std::string& truth_json) {
  const auto lines = SplitAt(truth_json, '\n');
  std::set<std::string> wanted;
  for (const std::string_view line : lines) wanted.insert(LowerCase(line));
  int right = 0;
  for (const std::string_view line : SplitAt(answer, '\n')) {
    if (wanted.contains(LowerCase(line))) ++right;
  }
  return right / static_cast<double>(lines.size());
}

Json BoolTruth(const Label& label) {
  Json truth = Json::array();
  for (const ItemLabel& item : label.items) {
    const bool is_set = item.right == RightMove::kSet;
    const int value = !is_set ? -1 : (item.accepted.front().value == "n" ? 0 : 2);
    truth.push_back({{"config", LowerCase(item.key)}, {"value", value}});
  }
  return truth;
}

// Its labels are the prompts, without the symbol that the question shows beside them.
Json ListTruth(const Question& question, const Label& label) {
  Json truth = Json::array();
  for (const QuestionItem& item : question.items) {
    const ItemLabel* known = FindLabel(label, item.key);
    if (known == nullptr || known->right != RightMove::kSet) continue;
    if (question.kind == QuestionKind::kMenu) {
      truth.push_back(item.prompt);
    } else {
      truth.push_back({{"config", item.prompt}, {"value", known->accepted.front().value}});
    }
  }
  return truth;
}

// The member with the most credit.
Json ChoiceTruth(const Label& label) {
  std::string best;
  double max_credit = 0;
  for (const ItemLabel& member : label.items) {
    double credit = member.right == RightMove::kKeep ? 1 : 0;
    for (const AcceptedValue& accepted : member.accepted)
      credit = std::max(credit, accepted.credit);
    if (credit > max_credit) {
      max_credit = credit;
      best = member.key;
    }
  }
  return best;
}

}  // namespace

double OsR1Format(const OsR1Episode& episode) {
  if (episode.empty()) return 0;
  const bool has_tool = std::any_of(episode.begin(), episode.end() - 1,
                                    [](const std::string& text) { return IsToolBlock(text); });
  return (has_tool ? 0.45 : 0) + (IsThinkThen(episode.back(), "answer") ? 0.55 : 0);
}

double OsR1Answer(const OsR1Episode& episode, const OsR1Truth& truth) {
  if (episode.empty()) return 0;
  const auto answer = FirstAnswer(episode.back());
  if (!answer) return 0;
  if (truth.kind == QuestionKind::kChoice) return ChoiceScore(*answer, truth.answer);
  if (truth.kind == QuestionKind::kValue) return ValueScore(*answer, truth.answer);
  const auto json = ParseJson(truth.answer, "truth");
  if (!json) return 0;
  const auto score =
      truth.kind == QuestionKind::kMenu ? MenuScore(*answer, *json) : BoolScore(*answer, *json);
  return score.value_or(0);
}

double OsR1Total(const OsR1Episode& episode, const OsR1Truth& truth) {
  const double format = OsR1Format(episode);
  return format - 1 + (format >= 0.99 ? OsR1Answer(episode, truth) : 0);
}

Result<OsR1Truth> OsR1TruthOf(const Question& question, const Label& label) {
  if (auto checked = CheckLabel(question, label); !checked) return checked.error();
  switch (question.kind) {
    case QuestionKind::kTristate:
      return Error{Errc::kUnsupported, "Tristate: OS-R1 asks no such question"};
    case QuestionKind::kBool:
      return OsR1Truth{question.kind, Dump(BoolTruth(label))};
    case QuestionKind::kChoice:
      return OsR1Truth{question.kind, Dump(ChoiceTruth(label))};
    case QuestionKind::kMenu:
    case QuestionKind::kValue:
      break;
  }
  return OsR1Truth{question.kind, Dump(ListTruth(question, label))};
}

}  // namespace hone::agent
