// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/os_r1_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "hone/agent/rewards/number_scale.h"
#include "hone/core/letter_case.h"
#include "hone/core/trimmed.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMaxLines = 100'000;

// "Prompt text (X)": what stands before and inside the last parentheses; X empty without them.
std::pair<std::string, std::string> PromptAndTail(std::string_view line) {
  const std::string text(Trimmed(line));
  const auto open = text.rfind('(');
  if (open == text.npos || !text.ends_with(')')) return {text, ""};
  return {std::string(Trimmed(std::string_view(text).substr(0, open))),
          text.substr(open + 1, text.size() - open - 2)};
}

bool IsSymbol(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

class LogReader {
 public:
  LogReader(std::string goal, std::string name) : goal_(std::move(goal)), name_(std::move(name)) {}

  void Read(std::string_view line, std::size_t number) {
    place_ = fmt::format("{}:{}", name_, number);
    const auto json = ParseJson(line, place_);
    if (!json) return Fault(json.error().message);
    JsonReader reader(*json, place_);
    const std::string asked = reader.At("question").String();
    const Json answer = reader.At("answer").Raw();
    if (auto finished = reader.Finish(); !finished) return Fault(finished.error().message);
    auto question = ReadAsked(asked);
    if (!question) return;
    QuestionRow row;
    row.goal = goal_;
    row.tree = "linux (OS-R1)";
    row.question = std::move(*question);
    row.label = LabelFrom(row.question, answer);
    row.id = IdOf(row);
    imported_.rows.push_back(std::move(row));
  }

  ImportedLog Finish() { return std::move(imported_); }

 private:
  void Fault(std::string what) { imported_.faults.push_back({place_, std::move(what)}); }

  std::optional<Question> ReadAsked(const std::string& asked) {
    const auto tab = asked.find('\t');
    if (tab == asked.npos) return Fault("question: expected TYPE, a tab, items"), std::nullopt;
    const auto kind = QuestionKindNamed(asked.substr(0, tab));
    if (!kind || *kind == QuestionKind::kTristate) {
      return Fault(fmt::format("type \"{:.40}\": expected Bool, Menu, Choice or Value",
                               asked.substr(0, tab))),
             std::nullopt;
    }
    Question question{*kind, {}, {}};
    std::string_view lines = std::string_view(asked).substr(tab + 1);
    while (!lines.empty()) {
      const auto end = std::min(lines.find('\n'), lines.size());
      AddItem(question, lines.substr(0, end));
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    if (question.items.empty()) return Fault("question: no items"), std::nullopt;
    return question;
  }

  // Present values are not in the logs but for numbers and texts: a bool's is not known.
  void AddItem(Question& question, std::string_view line) {
    auto [prompt, tail] = PromptAndTail(line);
    if (prompt.empty() && tail.empty()) return;
    QuestionItem item;
    item.prompt = prompt;
    const bool is_value = question.kind == QuestionKind::kValue;
    item.key = !is_value && IsSymbol(tail) ? tail : prompt;
    if (!is_value && !IsSymbol(tail)) item.key = item.prompt = Trimmed(line);
    if (is_value) item.value = tail;
    if (question.kind == QuestionKind::kBool) item.allowed = {"n", "y"};
    if (FindItem(question, item.key) != nullptr) {
      return Fault(fmt::format("item {:.80} is there twice", item.key));
    }
    question.items.push_back(std::move(item));
  }

  static const QuestionItem* FindItem(const Question& question, const std::string& key) {
    for (const QuestionItem& item : question.items) {
      if (LowerCase(item.key) == LowerCase(key)) return &item;
    }
    for (const QuestionItem& item : question.items) {
      if (LowerCase(item.prompt) == LowerCase(key)) return &item;
    }
    return nullptr;
  }

  LabelSource Source() const {
    return {LabelOrigin::kImported, "OS-R1 " + place_, "a language model's transcript"};
  }

  void AddRight(const Question& question, Label& label, const std::string& name,
                const std::string& value) {
    const QuestionItem* item = FindItem(question, name);
    if (item == nullptr) return Fault(fmt::format("label {:.80}: no such item", name));
    if (FindLabel(label, item->key) != nullptr) {
      return Fault(fmt::format("label {:.80}: it is there twice", name));
    }
    ItemLabel one{.key = item->key, .source = Source()};
    const bool is_kept = value == "keep" ||
                         (question.kind == QuestionKind::kValue && IsSameValue(value, item->value));
    if (!is_kept) {
      one.right = RightMove::kSet;
      one.accepted = {{value, 1}};
    }
    label.items.push_back(std::move(one));
  }

  void AddEntry(const Question& question, Label& label, const Json& entry) {
    if (!entry.is_object() || !entry.contains("config") || !entry["config"].is_string() ||
        !entry.contains("value")) {
      return Fault("label: expected {config, value}");
    }
    const auto name = entry["config"].get<std::string>();
    const Json& value = entry["value"];
    if (question.kind == QuestionKind::kValue) {
      return AddRight(question, label, name,
                      value.is_string() ? value.get<std::string>() : Dump(value));
    }
    if (!value.is_number_integer()) return Fault(fmt::format("label {:.80}: no number", name));
    const auto number = value.get<std::int64_t>();
    if (number != 2 && number != 0 && number != -1) {
      return Fault(fmt::format("label {:.80}: value {} is none of 2, 0, -1", name, number));
    }
    AddRight(question, label, name, number == -1 ? "keep" : (number == 2 ? "y" : "n"));
  }

  // Menus that its answer does not name are to be left closed.
  std::optional<Label> LabelFrom(const Question& question, const Json& answer) {
    Label label;
    if (question.kind == QuestionKind::kChoice) {
      if (!answer.is_string()) return Fault("answer: expected a name"), std::nullopt;
      AddRight(question, label, answer.get<std::string>(), "y");
    } else if (!answer.is_array()) {
      return Fault("answer: expected a list"), std::nullopt;
    } else if (question.kind == QuestionKind::kMenu) {
      for (const Json& name : answer) {
        if (name.is_string()) AddRight(question, label, name.get<std::string>(), "y");
      }
      for (const QuestionItem& item : question.items) {
        if (FindLabel(label, item.key) != nullptr) continue;
        label.items.push_back({.key = item.key, .source = Source()});
      }
    } else {
      for (const Json& entry : answer) AddEntry(question, label, entry);
    }
    if (auto checked = CheckLabel(question, label); !checked) {
      return Fault(checked.error().message), std::nullopt;
    }
    return label;
  }

  std::string goal_;
  std::string name_;
  std::string place_;
  ImportedLog imported_;
};

}  // namespace

Result<ImportedLog> ImportOsR1Log(std::string_view text, const std::string& name) {
  const auto first = std::min(text.find('\n'), text.size());
  const std::string goal(Trimmed(text.substr(0, first)));
  if (goal.empty() || goal.starts_with('{')) {
    return Error{Errc::kCorrupt, fmt::format("{}:1: expected the goal in words", name)};
  }
  text.remove_prefix(std::min(first + 1, text.size()));
  LogReader reader(goal, name);
  for (std::size_t number = 2; !text.empty() && number < kMaxLines; ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string line(Trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty()) reader.Read(line, number);
  }
  ImportedLog imported = reader.Finish();
  if (imported.rows.empty()) {
    return Error{Errc::kCorrupt,
                 fmt::format("{}: no question could be read{}", name,
                             imported.faults.empty() ? "" : "; " + imported.faults.front().what)};
  }
  return imported;
}

}  // namespace hone::agent
