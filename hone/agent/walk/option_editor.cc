// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/walk/option_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "hone/kconfig/reason/actions.h"
#include "hone/kconfig/reason/solver_texts.h"

namespace hone::agent {
namespace {

using kconfig::kNone;
using kconfig::SymbolId;

constexpr std::int64_t kMaxSolverConflicts = 100'000;
constexpr std::size_t kMaxRequestValue = 1024;
constexpr std::size_t kMaxClauses = 8;

std::string ShortOf(std::string_view text) { return std::string(text.substr(0, 80)); }

std::string BlockersText(const kconfig::Tree& tree, const std::vector<kconfig::Blocker>& blockers) {
  std::string text;
  for (std::size_t i = 0; i < std::min(blockers.size(), kMaxClauses); ++i) {
    const kconfig::Blocker& blocker = blockers[i];
    text += fmt::format(" [{}: {} ({})]", blocker.source, blocker.clause, tree.Show(blocker.where));
  }
  if (blockers.size() > kMaxClauses) {
    text += fmt::format(" and {} more", blockers.size() - kMaxClauses);
  }
  return text;
}

std::string ProofText(const std::vector<kconfig::Clause>& conflict) {
  std::string text = "these cannot all be true:";
  for (std::size_t i = 0; i < std::min(conflict.size(), kMaxClauses); ++i) {
    text += fmt::format(" [{}]", conflict[i].text);
  }
  if (conflict.size() > kMaxClauses) {
    text += fmt::format(" and {} more", conflict.size() - kMaxClauses);
  }
  return text;
}

}  // namespace

struct OptionEditor::Step {
  RequestVerdict verdict;
  SymbolId symbol = kNone;
  bool is_open = true;  // Not decided yet.

  void Refuse(std::string_view refusal, std::string reason) {
    is_open = false;
    verdict.outcome = RequestOutcome::kRefused;
    verdict.refusal = std::string(refusal);
    verdict.reason = std::move(reason);
  }
};

std::string_view NameOf(RequestOutcome outcome) {
  constexpr std::array<std::string_view, 3> kNames = {"honoured", "already_so", "refused"};
  return kNames.at(static_cast<std::size_t>(outcome));
}

bool IsHarmlessText(std::string_view text) {
  static constexpr std::string_view kMarks = " _-+=.,:/@%";
  return std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return letter < 0x80 &&
           (std::isalnum(letter) != 0 || kMarks.find(static_cast<char>(letter)) != kMarks.npos);
  });
}

OptionEditor::OptionEditor(std::shared_ptr<const kconfig::TreeIndex> index,
                           kconfig::Configuration start, const ProtectionRule& protection)
    : index_(std::move(index)), solver_(index_), configuration_(std::move(start)) {
  if (!protection) return;
  const kconfig::Tree& tree = index_->tree();
  for (const SymbolId id : tree.order()) {
    if (tree.symbol(id).name.empty() || tree.symbol(id).is_choice) continue;
    Protection found = protection(std::string(tree.symbol(id).name));
    if (!found.reason.empty()) protected_.emplace(id, std::move(found));
  }
}

bool OptionEditor::IsSo(SymbolId id, std::string_view value) const {
  return kconfig::IsSameValue(index_->tree().symbol(id).type, configuration_.text(id), value);
}

OptionChange OptionEditor::Named(const kconfig::Change& change) const {
  return {std::string(index_->tree().symbol(change.symbol).name), change.before, change.after};
}

std::set<SymbolId> OptionEditor::OwnOf(SymbolId id) const {
  std::set<SymbolId> own = {id};
  const SymbolId choice = index_->tree().symbol(id).choice;
  if (choice == kNone) return own;
  const auto members = index_->tree().MembersOf(choice);
  own.insert(members.begin(), members.end());
  return own;
}

std::vector<SymbolId> OptionEditor::KeptFor(const std::set<SymbolId>& own) const {
  std::set<SymbolId> kept;
  for (const auto& [symbol, protection] : protected_) {
    if (!protection.may_follow) kept.insert(symbol);
  }
  for (const auto& [symbol, value] : pledged_) {
    if (!own.contains(symbol)) kept.insert(symbol);
  }
  return {kept.begin(), kept.end()};
}

std::string OptionEditor::HarmOf(const std::vector<kconfig::Change>& effects,
                                 const std::set<SymbolId>& own) const {
  for (const kconfig::Change& effect : effects) {
    const std::string_view name = index_->tree().symbol(effect.symbol).name;
    const auto found = protected_.find(effect.symbol);
    if (found != protected_.end() && !found->second.may_follow) {
      return fmt::format("it would change {} from {} to {}, which is protected ({})", name,
                         effect.before, effect.after, found->second.reason);
    }
    const auto pledged = pledged_.find(effect.symbol);
    if (pledged != pledged_.end() && !own.contains(effect.symbol)) {
      return fmt::format("it would undo {}={}, which was asked for before", name, pledged->second);
    }
  }
  return {};
}

std::vector<OptionEditor::Step> OptionEditor::Resolve(
    const std::vector<OptionRequest>& requests) const {
  std::vector<Step> steps;
  for (const OptionRequest& request : requests) {
    Step& step = steps.emplace_back();
    step.verdict.request = request;
    if (request.value.size() > kMaxRequestValue) {
      step.Refuse("wrong_type", fmt::format("{}: a value has at most {} characters",
                                            ShortOf(request.option), kMaxRequestValue));
      continue;
    }
    const auto judged = kconfig::Judge(*index_, configuration_, {{request.option, request.value}});
    const kconfig::ActionVerdict& verdict = judged.verdicts.front();
    step.symbol = verdict.symbol;
    if (verdict.refusal == kconfig::Refusal::kUnknownSymbol ||
        verdict.refusal == kconfig::Refusal::kWrongType) {
      step.Refuse(NameOf(verdict.refusal), verdict.message);
      continue;
    }
    step.verdict.request.option = std::string(index_->tree().symbol(step.symbol).name);
    CheckValue(step);
  }
  return steps;
}

void OptionEditor::CheckValue(Step& step) const {
  const OptionRequest& request = step.verdict.request;
  if (IsSo(step.symbol, request.value)) return;
  if (const auto found = protected_.find(step.symbol); found != protected_.end()) {
    return step.Refuse("protected",
                       fmt::format("{} is protected: {}", request.option, found->second.reason));
  }
  if (index_->tree().symbol(step.symbol).type == kconfig::SymbolType::kString &&
      !IsHarmlessText(request.value)) {
    step.Refuse("unsafe_text",
                fmt::format("{}: a text may hold letters, digits, blanks and _-+=.,:/@%, since "
                            "make and the shell read it",
                            request.option));
  }
}

void OptionEditor::Commit(Step& step, kconfig::Configuration after,
                          const std::vector<kconfig::Change>& set) {
  for (const kconfig::Change& change : set) {
    if (change.symbol != step.symbol) step.verdict.also_set.push_back(Named(change));
  }
  for (const kconfig::Change& change : kconfig::DifferenceOf(configuration_, after)) {
    const bool is_set = std::any_of(set.begin(), set.end(), [&](const kconfig::Change& one) {
      return one.symbol == change.symbol;
    });
    if (change.symbol == step.symbol || is_set) continue;
    step.verdict.consequences.push_back(Named(change));
  }
  step.verdict.outcome = RequestOutcome::kHonoured;
  step.is_open = false;
  configuration_ = std::move(after);
  for (const SymbolId id : OwnOf(step.symbol)) {
    const auto pledged = pledged_.find(id);
    if (pledged != pledged_.end() && !IsSo(id, pledged->second)) pledged_.erase(pledged);
  }
  pledged_[step.symbol] = step.verdict.request.value;
}

// If all of them can be as they stand, they are; so no request is in the way of another that comes
// after it only because of how it was honoured.
bool OptionEditor::ApplyTogether(std::vector<Step>& steps) {
  std::vector<kconfig::Action> actions;
  std::set<SymbolId> own;
  for (const Step& step : steps) {
    if (!step.is_open) continue;
    actions.push_back({step.verdict.request.option, step.verdict.request.value});
    own.merge(OwnOf(step.symbol));
  }
  if (actions.empty()) return true;
  const auto judged = kconfig::Judge(*index_, configuration_, actions);
  if (!judged.is_accepted || !HarmOf(judged.effects, own).empty()) return false;
  for (Step& step : steps) {
    if (!step.is_open) continue;
    const bool was_so = IsSo(step.symbol, step.verdict.request.value);
    kconfig::Configuration after = configuration_;
    static_cast<void>(after.Set(step.symbol, step.verdict.request.value));
    Commit(step, std::move(after), {});
    if (was_so && step.verdict.consequences.empty()) {
      step.verdict.outcome = RequestOutcome::kAlreadySo;
    }
  }
  return true;
}

void OptionEditor::ApplyOne(Step& step) {
  const OptionRequest& request = step.verdict.request;
  if (IsSo(step.symbol, request.value)) {
    step.verdict.outcome = RequestOutcome::kAlreadySo;
    step.is_open = false;
    pledged_[step.symbol] = request.value;
    return;
  }
  auto judged = kconfig::Judge(*index_, configuration_, {{request.option, request.value}});
  if (!judged.is_accepted) {
    const kconfig::ActionVerdict& verdict = judged.verdicts.front();
    return Solve(step, verdict.message + BlockersText(index_->tree(), verdict.blockers));
  }
  const std::string harm = HarmOf(judged.effects, OwnOf(step.symbol));
  if (!harm.empty()) return Solve(step, fmt::format("{}: {}", request.option, harm));
  Commit(step, std::move(*judged.after), {});
}

void OptionEditor::Solve(Step& step, const std::string& direct_reason) {
  const OptionRequest& request = step.verdict.request;
  const std::set<SymbolId> own = OwnOf(step.symbol);
  // With the option itself set first: else an exotic one that selects it could be fewer settings.
  kconfig::Configuration start = configuration_;
  const bool is_set = start.Set(step.symbol, request.value).has_value() &&
                      HarmOf(kconfig::DifferenceOf(configuration_, start), own).empty();
  if (!is_set) start = configuration_;
  const auto answer = solver_.Solve(start, {.wishes = {{step.symbol, request.value}},
                                            .kept = KeptFor(own),
                                            .conflicts = kMaxSolverConflicts});
  if (!answer) {
    const bool gave_up = answer.error().code == Errc::kUnavailable;
    return step.Refuse(gave_up ? "undecided" : "impossible", direct_reason);
  }
  if (answer->solutions.empty()) {
    const bool is_kept = std::any_of(
        answer->conflict.begin(), answer->conflict.end(),
        [](const kconfig::Clause& clause) { return clause.kind == kconfig::ClauseKind::kKept; });
    return step.Refuse(
        is_kept ? "undoes_another" : "impossible",
        direct_reason + " There is no way around it: " + ProofText(answer->conflict));
  }
  const std::vector<kconfig::Change>& settings = answer->solutions.front().settings;
  for (const kconfig::Change& change : settings) {
    static_cast<void>(start.Set(change.symbol, change.after));
  }
  const bool holds = kconfig::IsSameValue(index_->tree().symbol(step.symbol).type,
                                          start.text(step.symbol), request.value);
  const std::string harm = HarmOf(kconfig::DifferenceOf(configuration_, start), own);
  if (!holds || !harm.empty()) {
    return step.Refuse(harm.empty() ? "undecided" : "undoes_another",
                       harm.empty() ? direct_reason : direct_reason + " " + harm);
  }
  Commit(step, std::move(start), settings);
}

std::vector<RequestVerdict> OptionEditor::Apply(const std::vector<OptionRequest>& requests) {
  std::vector<Step> steps = Resolve(requests);
  if (!ApplyTogether(steps)) {
    for (Step& step : steps) {
      if (step.is_open) ApplyOne(step);
    }
  }
  std::vector<RequestVerdict> verdicts;
  verdicts.reserve(steps.size());
  for (Step& step : steps) verdicts.push_back(std::move(step.verdict));
  return verdicts;
}

}  // namespace hone::agent
