// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/audit_policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "hone/agent/rewards/answer_reward.h"
#include "hone/agent/rewards/number_scale.h"

namespace hone::agent {
namespace {

constexpr std::string_view kThought = "<think>\nIt depends.\n</think>\n";
constexpr std::string_view kToolTurn =
    "<think>\nI look it up.\n</think>\n<tool_call>\n{}\n</tool_call>";
constexpr std::string_view kNoOpinion = "cannot determine impact without specific context";

const Decision* Find(const std::vector<Decision>& decisions, std::string_view key) {
  const auto found = std::find_if(decisions.begin(), decisions.end(),
                                  [key](const Decision& one) { return one.key == key; });
  return found == decisions.end() ? nullptr : &*found;
}

// The lines of an answer as OS-R1's prompt asks for them. Its bools are all named.
std::string TheirLines(const Question& question, const std::vector<Decision>& decisions) {
  std::string lines;
  for (const QuestionItem& item : question.items) {
    const Decision* said = Find(decisions, item.key);
    switch (question.kind) {
      case QuestionKind::kBool:
      case QuestionKind::kTristate:
        lines += fmt::format(
            "[{} - {}]\n", item.key,
            said == nullptr ? kNoOpinion : (said->value == "n" ? "decrease" : "increase"));
        break;
      case QuestionKind::kMenu:
        if (said != nullptr) lines += fmt::format("[{}]\n", item.prompt);
        break;
      case QuestionKind::kChoice:
        if (said != nullptr) lines += fmt::format("[{}]\n", item.key);
        break;
      case QuestionKind::kValue:
        if (said != nullptr) lines += fmt::format("{} ({})\n", item.prompt, said->value);
        break;
    }
  }
  return lines;
}

OsR1Episode TheirEpisode(std::string_view lines) {
  return {std::string(kToolTurn), fmt::format("{}<answer>\n{}</answer>", kThought, lines)};
}

PolicyAnswer Both(const Question& question, const std::vector<Decision>& decisions) {
  return {std::string(kThought) + AnswerText(question, decisions),
          TheirEpisode(TheirLines(question, decisions))};
}

// In OS-R1's data a choice is always answered, also with the member in force.
std::vector<Decision> TheirPerfect(const AuditQuestion& asked) {
  if (asked.question.kind != QuestionKind::kChoice || !asked.perfect.empty()) return asked.perfect;
  return {{asked.label.items.front().key, "y"}};
}

PolicyAnswer Perfect(const AuditQuestion& asked, std::size_t, Rng&) {
  PolicyAnswer answer = Both(asked.question, asked.perfect);
  answer.theirs = TheirEpisode(TheirLines(asked.question, TheirPerfect(asked)));
  return answer;
}

PolicyAnswer Partial(const AuditQuestion& asked, std::size_t number, Rng&) {
  std::vector<Decision> half = asked.perfect;
  if (half.size() == 1) {
    if (number % 2 == 1) half.clear();
  } else {
    half.resize((half.size() + 1) / 2);
  }
  return Both(asked.question, half);
}

std::string OtherValue(const Question& question, const QuestionItem& item, Rng& rng) {
  if (question.kind == QuestionKind::kMenu || question.kind == QuestionKind::kChoice) return "y";
  if (question.kind != QuestionKind::kValue) {
    std::string value = item.value;
    while (value == item.value) value = item.allowed[rng.Below(item.allowed.size())];
    return value;
  }
  const auto low = NumberOf(item.lowest);
  const auto high = NumberOf(item.highest);
  if (!low || !high) return fmt::format("text{}", rng.Below(100));
  return fmt::format("{}", static_cast<std::int64_t>(rng.Uniform(*low, *high)));
}

PolicyAnswer RandomAnswer(const AuditQuestion& asked, std::size_t, Rng& rng) {
  const Question& question = asked.question;
  std::vector<Decision> said;
  if (question.kind == QuestionKind::kChoice) {
    said.push_back({question.items[rng.Below(question.items.size())].key, "y"});
    return Both(question, said);
  }
  for (const QuestionItem& item : question.items) {
    if (rng.Coin()) said.push_back({item.key, OtherValue(question, item, rng)});
  }
  return Both(question, said);
}

PolicyAnswer SaysNothing(const AuditQuestion&, std::size_t, Rng&) { return {"", {""}}; }

// An honest answer where nothing should change; else it gives up.
PolicyAnswer KeepsAll(const AuditQuestion& asked, std::size_t, Rng&) {
  PolicyAnswer answer = Both(asked.question, {});
  const bool has_values =
      asked.question.kind != QuestionKind::kMenu && asked.question.kind != QuestionKind::kChoice;
  if (!has_values) return answer;
  std::vector<Decision> kept;
  for (const QuestionItem& item : asked.question.items) kept.push_back({item.key, "keep"});
  answer.ours = std::string(kThought) + AnswerText(asked.question, kept);
  return answer;
}

PolicyAnswer ListsEverything(const AuditQuestion& asked, std::size_t, Rng& rng) {
  std::vector<Decision> said;
  for (const QuestionItem& item : asked.question.items) {
    const bool is_number = asked.question.kind == QuestionKind::kValue && !item.highest.empty();
    said.push_back({item.key, is_number ? item.highest : OtherValue(asked.question, item, rng)});
  }
  return Both(asked.question, said);
}

PolicyAnswer CopiesTheQuestion(const AuditQuestion& asked, std::size_t, Rng&) {
  std::string lines;
  for (const QuestionItem& item : asked.question.items) {
    const bool is_value = asked.question.kind == QuestionKind::kValue;
    lines += fmt::format("{} ({})\n", item.prompt, is_value ? item.value : item.key);
  }
  return {fmt::format("{}<answer>\n{}</answer>", kThought, lines), TheirEpisode(lines)};
}

// The first right line, or the first item, twenty times.
PolicyAnswer RepeatsOneAnswer(const AuditQuestion& asked, std::size_t, Rng& rng) {
  const Question& question = asked.question;
  const Decision one =
      asked.perfect.empty()
          ? Decision{question.items.front().key, OtherValue(question, question.items.front(), rng)}
          : asked.perfect.front();
  const std::vector<Decision> said(20, one);
  PolicyAnswer answer = Both(question, said);
  Question alone{question.kind, question.title, {}};
  for (const QuestionItem& item : question.items) {
    if (item.key == one.key) alone.items.push_back(item);
  }
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += TheirLines(alone, said);
  answer.theirs = TheirEpisode(lines);
  return answer;
}

// Right inside, and then nothing that can be read.
PolicyAnswer AnswersWhileThinking(const AuditQuestion& asked, std::size_t, Rng&) {
  const std::string theirs = TheirLines(asked.question, TheirPerfect(asked));
  return {fmt::format("<think>\n{}\n</think>\n<answer>\nsee above\n</answer>",
                      AnswerText(asked.question, asked.perfect)),
          {std::string(kToolTurn),
           fmt::format("<think>\n<answer>\n{}</answer>\n</think>\n<answer>\nsee above\n</answer>",
                       theirs)}};
}

// The right answer, and the opposite as another one.
PolicyAnswer AnswersTwice(const AuditQuestion& asked, std::size_t number, Rng& rng) {
  const PolicyAnswer right = Perfect(asked, number, rng);
  const PolicyAnswer other = ListsEverything(asked, number, rng);
  const auto answer_of = [](const std::string& text) { return text.substr(text.find("<answer>")); };
  return {right.ours + "\n" + answer_of(other.ours),
          {right.theirs.front(), right.theirs.back() + answer_of(other.theirs.back())}};
}

PolicyAnswer Garbage(const AuditQuestion&, std::size_t, Rng& rng) {
  std::string noise;
  for (int i = 0; i < 400; ++i) noise += static_cast<char>(rng.Below(256));
  return {fmt::format("<answer>\n{}\n</answer>", noise), TheirEpisode(noise)};
}

// The right answer among more than anybody would read.
PolicyAnswer Huge(const AuditQuestion& asked, std::size_t number, Rng& rng) {
  const PolicyAnswer right = Perfect(asked, number, rng);
  // Names as long as a page: what takes time is the number of lines.
  const std::string name(4000, 'X');
  const std::string line = asked.question.kind == QuestionKind::kMenu
                               ? fmt::format("[{}]\n", name)
                               : fmt::format("[{} - increase]\n", name);
  std::string lines;
  while (lines.size() <= kMaxResponseBytes) lines += line;
  const auto with_lines = [&lines](std::string text) {
    return text.insert(text.rfind("</answer>"), lines);
  };
  return {with_lines(right.ours), {right.theirs.front(), with_lines(right.theirs.back())}};
}

}  // namespace

const std::vector<AuditPolicy>& AuditPolicies() {
  static const std::vector<AuditPolicy> kPolicies = {
      {"perfect", PolicyWorth::kPerfect, Perfect},
      {"honest, half of it", PolicyWorth::kHonest, Partial},
      {"random", PolicyWorth::kRandom, RandomAnswer},
      {"says nothing", PolicyWorth::kDegenerate, SaysNothing},
      {"all unknown", PolicyWorth::kDegenerate, KeepsAll},
      {"lists everything", PolicyWorth::kDegenerate, ListsEverything},
      {"copies the question", PolicyWorth::kDegenerate, CopiesTheQuestion},
      {"repeats one answer", PolicyWorth::kDegenerate, RepeatsOneAnswer},
      {"answers while thinking", PolicyWorth::kDegenerate, AnswersWhileThinking},
      {"several answers", PolicyWorth::kDegenerate, AnswersTwice},
      {"garbage", PolicyWorth::kDegenerate, Garbage},
      {"huge", PolicyWorth::kDegenerate, Huge}};
  return kPolicies;
}

}  // namespace hone::agent
