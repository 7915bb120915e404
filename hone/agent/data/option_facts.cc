// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/option_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/agent/data/measured_trials.h"
#include "hone/kconfig/reason/explain.h"
#include "hone/tune/campaign/verdict.h"

namespace hone::agent {
namespace {

constexpr std::string_view kConfigPrefix = "CONFIG_";

std::string PlainName(std::string_view name) {
  if (name.starts_with(kConfigPrefix)) name.remove_prefix(kConfigPrefix.size());
  return std::string(name);
}

std::string EffectText(const MeasuredLogRatio& effect) {
  return fmt::format("{:+.2f} % [{:+.2f} %, {:+.2f} %], {} pairs",
                     100 * std::expm1(effect.log_ratio), 100 * std::expm1(effect.low),
                     100 * std::expm1(effect.high), effect.pairs);
}

// Values of switches as Kconfig has them.
std::string OptionValue(const Value& value) {
  if (const bool* is_on = std::get_if<bool>(&value)) return *is_on ? "y" : "n";
  return hone::ToText(value);
}

// The one option that the candidate changes; nullopt if there are others, or a source.
std::optional<std::pair<std::string, std::string>> OnlyChange(const Candidate& baseline,
                                                              const Candidate& candidate) {
  if (candidate.source != baseline.source) return std::nullopt;
  std::optional<std::pair<std::string, std::string>> change;
  for (const auto& [name, value] : candidate.assignment) {
    const auto found = baseline.assignment.find(name);
    if (found != baseline.assignment.end() && found->second == value) continue;
    if (change) return std::nullopt;
    change = {PlainName(name), OptionValue(value)};
  }
  return change;
}

// Campaigns call the values of a bool true and false.
std::string SwitchText(const std::string& value) {
  if (value == "true") return "y";
  return value == "false" ? "n" : value;
}

void AddVerdict(OptionFacts& facts, const std::string& id, const tune::Verdict& verdict) {
  for (const tune::ParameterEffect& part : verdict.effects) {
    const MeasuredLogRatio effect{part.effect.effect, part.effect.interval.low,
                                  part.effect.interval.high, part.effect.count};
    facts.options[PlainName(part.name)] = FactOf(effect, SwitchText(part.to), id + ", ablation");
  }
  for (const std::string& name : verdict.dropped) {
    OptionFact fact;
    fact.source = {LabelOrigin::kMeasured, id + ", ablation", "putting it back costs nothing"};
    facts.options[PlainName(name)] = fact;
  }
}

// Weights beside the largest gain: from 0.1, so that nothing that is right counts nothing.
void Normalise(OptionFacts& facts) {
  double largest = 0;
  for (const auto& [name, fact] : facts.options) {
    if (fact.right == RightMove::kSet) largest = std::max(largest, fact.weight);
  }
  for (auto& [name, fact] : facts.options) {
    const bool is_scaled = fact.right == RightMove::kSet && largest > 0;
    fact.weight = is_scaled ? std::max(0.1, fact.weight / largest) : 1;
  }
}

}  // namespace

OptionFact FactOf(const MeasuredLogRatio& effect, const std::string& value, std::string reference) {
  OptionFact fact;
  fact.source = {LabelOrigin::kMeasured, std::move(reference), EffectText(effect)};
  if (!IsShownGain(effect)) return fact;
  fact.right = RightMove::kSet;
  fact.accepted = {{value, 1}};
  fact.weight = effect.log_ratio;
  return fact;
}

OptionFacts FactsFromCampaign(const tune::CampaignHistory& history) {
  OptionFacts facts;
  const std::string& id = history.campaign.id;
  for (const tune::TrialHistory& trial : tune::TrialsOf(history)) {
    const auto change = OnlyChange(history.campaign.start.baseline, trial.candidate);
    const auto effect = EffectOf(trial);
    if (!change || !effect) continue;
    facts.options[change->first] =
        FactOf(*effect, change->second, fmt::format("{}, trial {}", id, trial.number));
  }
  if (history.campaign.verdict) AddVerdict(facts, id, *history.campaign.verdict);
  Normalise(facts);
  return facts;
}

Result<OptionFacts> FactsFromExport(std::string_view text, const std::string& what) {
  const auto json = ParseJson(text, what, {.bytes = std::size_t{1} << 30});
  if (!json) return json.error();
  JsonReader reader(*json, what);
  const std::string format = reader.At("format").String();
  const std::string id = reader.At("id").String();
  const Json verdict = reader.At("verdict").Raw();
  if (auto finished = reader.Finish(); !finished) return finished.error();
  if (format != "hone-campaign") {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{}: expected the JSON of `hone export`, found \"{:.40}\"", what, format)};
  }
  if (verdict.is_null()) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: the campaign has no verdict yet", what)};
  }
  const auto read = tune::ReadVerdict(verdict, what);
  if (!read) return read.error();
  OptionFacts facts;
  AddVerdict(facts, id, *read);
  Normalise(facts);
  return facts;
}

Result<OptionFacts> FactsFromSolver(const kconfig::Solver& solver,
                                    const kconfig::Configuration& start,
                                    const std::vector<kconfig::Wish>& wishes) {
  const kconfig::Tree& tree = start.tree();
  const auto answer = solver.Solve(start, {.wishes = wishes});
  if (!answer) return answer.error();
  std::string wished;
  for (const kconfig::Wish& wish : wishes) {
    wished += fmt::format("{}{}={}", wished.empty() ? "" : " ",
                          kconfig::DisplayName(tree, wish.symbol), wish.value);
  }
  if (answer->solutions.empty()) {
    return Error{Errc::kNotFound,
                 fmt::format("{}: there is no way: {}", wished,
                             answer->conflict.empty() ? "" : answer->conflict.back().text)};
  }
  const LabelSource source{LabelOrigin::kSolver, wished, "the smallest change that makes it so"};
  OptionFacts facts;
  facts.are_whole = true;
  facts.rest = {LabelOrigin::kSolver, wished, "not needed"};
  // What follows by itself is neither asked for nor wrong: any value does no harm.
  for (const kconfig::Change& effect : answer->solutions.front().effects) {
    facts.options[kconfig::DisplayName(tree, effect.symbol)] = {
        RightMove::kKeep, {{effect.after, 1}}, 1, {LabelOrigin::kSolver, wished, "follows"}};
  }
  for (const kconfig::Change& setting : answer->solutions.front().settings) {
    facts.options[kconfig::DisplayName(tree, setting.symbol)] = {
        RightMove::kSet, {{setting.after, 1}}, 1, source};
  }
  return facts;
}

OptionFacts Joined(OptionFacts first, const OptionFacts& second) {
  for (const auto& [name, fact] : second.options) first.options.emplace(name, fact);
  return first;
}

FactLabeller::FactLabeller(const kconfig::Tree& tree, const OptionFacts& facts)
    : tree_(tree), facts_(facts) {
  for (const auto& [name, fact] : facts.options) {
    kconfig::SymbolId symbol = tree.Find(name);
    // A choice is known by its prompt; its place is that of the member to take.
    if (symbol == kconfig::kNone && !fact.accepted.empty()) {
      symbol = tree.Find(fact.accepted.front().value);
    }
    if (symbol == kconfig::kNone) continue;
    kconfig::MenuId node = tree.symbol(symbol).first_menu;
    for (; node != kconfig::kNone; node = tree.menu(node).next_definition) {
      // The menus around it, not itself: what lies below an option is behind its own menu.
      kconfig::MenuId at = tree.menu(node).parent;
      for (; at != kconfig::kNone; at = tree.menu(at).parent) {
        known_.emplace(at, &fact);
        if (fact.right != RightMove::kKeep) wanted_.emplace(at, &fact);
      }
    }
  }
}

std::optional<ItemLabel> FactLabeller::MenuLabel(const QuestionItem& item,
                                                 kconfig::MenuId node) const {
  ItemLabel label{.key = item.key};
  if (const auto wanted = wanted_.find(node); wanted != wanted_.end()) {
    label.right = RightMove::kSet;
    label.accepted = {{"y", 1}};
    label.source = wanted->second->source;
    return label;
  }
  if (const auto known = known_.find(node); known != known_.end()) {
    label.source = known->second->source;
    return label;
  }
  if (!facts_.are_whole) return std::nullopt;
  label.source = facts_.rest;
  return label;
}

std::optional<ItemLabel> FactLabeller::OptionLabel(const Question& question,
                                                   const QuestionItem& item) const {
  ItemLabel label{.key = item.key};
  const auto found = facts_.options.find(item.key);
  if (found == facts_.options.end()) {
    if (!facts_.are_whole) return std::nullopt;
    label.source = facts_.rest;
    return label;
  }
  const OptionFact& fact = found->second;
  label = {item.key, fact.right, fact.accepted, fact.weight, fact.source};
  if (CheckLabel(question, {{label}})) return label;
  // It has the right value already, or cannot take it now.
  const bool is_there =
      std::any_of(fact.accepted.begin(), fact.accepted.end(),
                  [&item](const AcceptedValue& accepted) { return accepted.value == item.value; });
  if (!is_there) return std::nullopt;
  return ItemLabel{.key = item.key, .source = fact.source};
}

// A campaign knows a choice by its prompt, and its members as the values.
void FactLabeller::AddChoiceFact(const Question& question, Label& label) const {
  const auto found = facts_.options.find(question.title);
  if (found == facts_.options.end() || found->second.right != RightMove::kSet) return;
  for (const AcceptedValue& accepted : found->second.accepted) {
    const bool is_member = std::any_of(
        question.items.begin(), question.items.end(),
        [&accepted](const QuestionItem& member) { return member.key == accepted.value; });
    if (!is_member || FindLabel(label, accepted.value) != nullptr) continue;
    label.items.push_back({accepted.value,
                           RightMove::kSet,
                           {{"y", accepted.credit}},
                           found->second.weight,
                           found->second.source});
  }
}

Label FactLabeller::ChoiceLabel(const Question& question) const {
  Label label;
  const QuestionItem* in_force = nullptr;
  for (const QuestionItem& member : question.items) {
    if (member.value == "y") in_force = &member;
    const auto found = facts_.options.find(member.key);
    if (found == facts_.options.end() || found->second.right != RightMove::kSet) continue;
    const OptionFact& fact = found->second;
    if (fact.accepted.front().value != "y") continue;
    label.items.push_back({member.key, RightMove::kSet, {{"y", 1}}, fact.weight, fact.source});
  }
  AddChoiceFact(question, label);
  if (!label.items.empty() || in_force == nullptr) return label;
  auto found = facts_.options.find(question.title);
  if (found == facts_.options.end()) found = facts_.options.find(in_force->key);
  const bool is_known = found != facts_.options.end();
  if (!is_known && !facts_.are_whole) return label;
  const bool is_to_go = is_known && found->second.right == RightMove::kSet;
  if (is_to_go) return label;
  label.items.push_back(
      {.key = in_force->key, .source = is_known ? found->second.source : facts_.rest});
  return label;
}

std::optional<Label> FactLabeller::LabelOf(const KconfigQuestion& asked) const {
  const Question& question = asked.question;
  Label label;
  if (question.kind == QuestionKind::kChoice) {
    label = ChoiceLabel(question);
  } else {
    for (std::size_t i = 0; i < question.items.size(); ++i) {
      const QuestionItem& item = question.items[i];
      auto one = question.kind == QuestionKind::kMenu ? MenuLabel(item, asked.nodes[i])
                                                      : OptionLabel(question, item);
      if (one) label.items.push_back(std::move(*one));
    }
  }
  if (!CheckLabel(question, label)) return std::nullopt;
  return label;
}

}  // namespace hone::agent
