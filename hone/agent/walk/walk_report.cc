// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/walk/walk_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "hone/agent/walk/walk_prompt.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/reason/actions.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMaxShownChanges = 12;
constexpr std::size_t kMaxShownReason = 400;

Json ChangesJson(const std::vector<OptionChange>& changes) {
  Json json = Json::array();
  for (const OptionChange& change : changes) {
    json.push_back({{"option", change.option}, {"before", change.before}, {"after", change.after}});
  }
  return json;
}

Json VerdictsJson(const std::vector<RequestVerdict>& verdicts) {
  Json json = Json::array();
  for (const RequestVerdict& verdict : verdicts) json.push_back(ToJson(verdict));
  return json;
}

std::string ChangesText(std::string_view what, const std::vector<OptionChange>& changes) {
  if (changes.empty()) return {};
  std::string text = fmt::format("      {}:", what);
  for (std::size_t i = 0; i < std::min(changes.size(), kMaxShownChanges); ++i) {
    text += fmt::format(" {}={}", changes[i].option, Quoted(changes[i].after, 40));
  }
  if (changes.size() > kMaxShownChanges) {
    text += fmt::format(" and {} more", changes.size() - kMaxShownChanges);
  }
  return text + "\n";
}

}  // namespace

Json ToJson(const RequestVerdict& verdict) {
  Json json = {{"option", verdict.request.option},
               {"value", verdict.request.value},
               {"outcome", NameOf(verdict.outcome)}};
  if (verdict.outcome == RequestOutcome::kRefused) {
    json["refusal"] = verdict.refusal;
    json["reason"] = verdict.reason;
  }
  if (!verdict.also_set.empty()) json["also_set"] = ChangesJson(verdict.also_set);
  if (!verdict.consequences.empty()) json["consequences"] = ChangesJson(verdict.consequences);
  return json;
}

WalkSummary SummaryOf(const WalkResult& result) {
  std::map<std::string, const RequestVerdict*> last;
  std::vector<std::string> order;
  for (const WalkVerdict& one : result.verdicts) {
    const RequestVerdict*& verdict = last[one.verdict.request.option];
    if (verdict == nullptr) order.push_back(one.verdict.request.option);
    const bool is_better = verdict == nullptr || verdict->outcome == RequestOutcome::kRefused ||
                           one.verdict.outcome == RequestOutcome::kHonoured;
    if (is_better) verdict = &one.verdict;
  }
  WalkSummary summary;
  for (const std::string& option : order) {
    const RequestVerdict& verdict = *last.at(option);
    if (verdict.outcome == RequestOutcome::kHonoured) summary.honoured.push_back(verdict);
    if (verdict.outcome == RequestOutcome::kRefused) summary.refused.push_back(verdict);
  }
  return summary;
}

std::string FragmentOf(const kconfig::Configuration& start, const WalkResult& result) {
  std::string text;
  const kconfig::Configuration& end = result.configuration;
  for (const kconfig::Change& change : kconfig::DifferenceOf(start, end)) {
    const bool is_shown = end.is_written(change.symbol) || start.is_written(change.symbol);
    if (!is_shown || start.tree().symbol(change.symbol).is_choice) continue;
    text += kconfig::ConfigLine(end, change.symbol, false);
  }
  return text;
}

Json ToJson(const kconfig::Configuration& start, const WalkResult& result) {
  const WalkSummary summary = SummaryOf(result);
  const WalkCounts& counts = result.counts;
  Json kinds = Json::object();
  for (std::size_t i = 0; i < counts.by_kind.size(); ++i) {
    kinds[std::string(NameOf(static_cast<QuestionKind>(i)))] = counts.by_kind.at(i);
  }
  Json changes = Json::array();
  for (const kconfig::Change& change : kconfig::DifferenceOf(start, result.configuration)) {
    changes.push_back({{"option", start.tree().symbol(change.symbol).name},
                       {"before", change.before},
                       {"after", change.after}});
  }
  return {{"end", NameOf(result.end)},
          {"why", result.end_reason},
          {"honoured", VerdictsJson(summary.honoured)},
          {"refused", VerdictsJson(summary.refused)},
          {"changes", std::move(changes)},
          {"fragment", FragmentOf(start, result)},
          {"asked",
           {{"options", result.asked.size()},
            {"questions", counts.questions},
            {"by_kind", std::move(kinds)},
            {"unreadable", counts.unreadable},
            {"faults", counts.faults},
            {"menus_opened", counts.menus_opened}}},
          {"spent",
           {{"exchanges", counts.talk.exchanges},
            {"tokens", counts.talk.tokens},
            {"tool_calls", counts.talk.tool_calls}}}};
}

std::string ToText(const kconfig::Configuration& start, const WalkResult& result) {
  const WalkSummary summary = SummaryOf(result);
  const WalkCounts& counts = result.counts;
  std::string text = fmt::format("Honoured ({})\n", summary.honoured.size());
  for (const RequestVerdict& verdict : summary.honoured) {
    text += fmt::format("  {}={}\n", verdict.request.option, Quoted(verdict.request.value, 100));
    text += ChangesText("had to be set beside it", verdict.also_set);
    text += ChangesText("follows", verdict.consequences);
  }
  text += fmt::format("Refused ({})\n", summary.refused.size());
  for (const RequestVerdict& verdict : summary.refused) {
    text +=
        fmt::format("  {}={}: {}\n", Quoted(verdict.request.option, 100),
                    Quoted(verdict.request.value, 100), Quoted(verdict.reason, kMaxShownReason));
  }
  const std::size_t changed = kconfig::DifferenceOf(start, result.configuration).size();
  text += fmt::format(
      "{} options differ from where it began. Asked about {} options in {} questions ({} without "
      "an answer that could be read), {} tokens, {} uses of tools.\n",
      changed, result.asked.size(), counts.questions, counts.unreadable, counts.talk.tokens,
      counts.talk.tool_calls);
  if (result.end != WalkEnd::kDone) {
    text += fmt::format("Not finished ({}): {}\n", NameOf(result.end),
                        Quoted(result.end_reason, kMaxShownReason));
  }
  return text;
}

}  // namespace hone::agent
