// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/questions/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace hone::agent {
namespace {

constexpr std::string_view kThinkOpen = "<think>";
constexpr std::string_view kThinkClose = "</think>";
constexpr std::string_view kAnswerOpen = "<answer>";
constexpr std::string_view kAnswerClose = "</answer>";
constexpr std::string_view kBlank = " \t\r\n";

std::string_view WithoutBlanks(std::string_view text) {
  const auto first = text.find_first_not_of(kBlank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// What comes after the thinking; nullopt if the thinking has no end.
std::optional<std::string_view> AfterThinking(std::string_view text) {
  text = WithoutBlanks(text);
  if (!text.starts_with(kThinkOpen)) return text;
  const auto end = text.find(kThinkClose);
  if (end == text.npos) return std::nullopt;
  return text.substr(end + kThinkClose.size());
}

// The lines between the marks; nullopt unless there is exactly one pair of them.
std::optional<std::string_view> BodyOf(std::string_view text) {
  const auto open = text.find(kAnswerOpen);
  const auto close = text.find(kAnswerClose);
  if (open == text.npos || close == text.npos || close < open) return std::nullopt;
  const bool is_single = text.find(kAnswerOpen, open + 1) == text.npos &&
                         text.find(kAnswerClose, close + 1) == text.npos;
  if (!is_single || text.find(kThinkOpen) != text.npos) return std::nullopt;
  const auto begin = open + kAnswerOpen.size();
  return text.substr(begin, close - begin);
}

bool IsSwitch(QuestionKind kind) {
  return kind == QuestionKind::kBool || kind == QuestionKind::kTristate;
}

bool HasValues(QuestionKind kind) { return IsSwitch(kind) || kind == QuestionKind::kValue; }

const QuestionItem* ItemOf(const Question& question, std::string_view key) {
  static constexpr std::string_view kPrefix = "CONFIG_";
  const auto find = [&question](std::string_view name) {
    const auto found = std::find_if(question.items.begin(), question.items.end(),
                                    [name](const QuestionItem& item) { return item.key == name; });
    return found == question.items.end() ? nullptr : &*found;
  };
  const QuestionItem* item = find(key);
  if (item == nullptr && key.starts_with(kPrefix)) item = find(key.substr(kPrefix.size()));
  return item;
}

class AnswerReader {
 public:
  explicit AnswerReader(const Question& question) : question_(question) {}

  void Read(std::string_view line) {
    line = WithoutBlanks(line);
    if (line.empty()) return;
    if (HasValues(question_.kind)) {
      ReadValue(line);
    } else {
      Decide(line, line, "y");
    }
  }

  Answer Finish() {
    answer_.is_well_formed = true;
    return std::move(answer_);
  }

 private:
  void ReadValue(std::string_view line) {
    const auto sign = line.find('=');
    if (sign == line.npos) return Fault(line, "expected NAME = VALUE");
    Decide(line, WithoutBlanks(line.substr(0, sign)), WithoutBlanks(line.substr(sign + 1)));
  }

  void Decide(std::string_view line, std::string_view key, std::string_view value) {
    const QuestionItem* item = ItemOf(question_, key);
    if (item == nullptr) return Fault(line, "not one of the items");
    const bool is_known = std::find(named_.begin(), named_.end(), item->key) != named_.end();
    if (is_known) return Fault(line, "named twice", true);
    if (question_.kind == QuestionKind::kChoice && !named_.empty()) {
      return Fault(line, "a choice has one answer", true);
    }
    if (value == "keep") {
      named_.push_back(item->key);
      return;
    }
    if (IsSwitch(question_.kind) &&
        std::find(item->allowed.begin(), item->allowed.end(), value) == item->allowed.end()) {
      return Fault(line, fmt::format("may be {}", fmt::join(item->allowed, " or ")));
    }
    named_.push_back(item->key);
    answer_.decisions.push_back({item->key, std::string(value)});
  }

  void Fault(std::string_view line, std::string what, bool is_repeat = false) {
    answer_.faults.push_back({std::string(line), std::move(what), is_repeat});
  }

  const Question& question_;
  std::vector<std::string> named_;
  Answer answer_;
};

}  // namespace

Answer ParseAnswer(const Question& question, std::string_view text) {
  const auto rest = AfterThinking(text);
  const auto body = rest ? BodyOf(*rest) : std::nullopt;
  if (!body) return {};
  AnswerReader reader(question);
  std::string_view lines = *body;
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    reader.Read(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return reader.Finish();
}

std::string AnswerText(const Question& question, const std::vector<Decision>& decisions) {
  std::string text = fmt::format("{}\n", kAnswerOpen);
  for (const Decision& decision : decisions) {
    if (HasValues(question.kind)) {
      text += fmt::format("{} = {}\n", decision.key, decision.value);
    } else {
      text += decision.key + "\n";
    }
  }
  return text + std::string(kAnswerClose);
}

}  // namespace hone::agent
