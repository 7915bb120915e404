// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/actions.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/kconfig/reason/near_names.h"
#include "hone/kconfig/reason/solver_texts.h"
#include "hone/kconfig/values/values.h"

namespace hone::kconfig {
namespace {

class Judgement {
 public:
  Judgement(const TreeIndex& index, const Configuration& before, const std::vector<Action>& actions)
      : index_(index), tree_(index.tree()), before_(before), after_(before) {
    for (const Action& action : actions) answer_.verdicts.emplace_back().action = action;
  }

  ActionsAnswer Run() {
    for (ActionVerdict& verdict : answer_.verdicts) Resolve(verdict);
    RefuseContradictions();
    for (const ActionVerdict& verdict : answer_.verdicts) {
      is_sound_.push_back(verdict.refusal == Refusal::kNothing);
    }
    after_ = ApplyAllBut(answer_.verdicts.size());
    for (std::size_t i = 0; i < answer_.verdicts.size(); ++i) {
      if (is_sound_[i] && !Holds(after_, answer_.verdicts[i])) RefuseUnmet(i);
    }
    return Finish();
  }

 private:
  void Resolve(ActionVerdict& verdict) {
    std::string_view name = verdict.action.symbol;
    const std::string& prefix = tree_.dialect().prefix;
    SymbolId id = tree_.Find(name);
    if ((id == kNone || !index_.IsDefined(id)) && name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      id = tree_.Find(name);
    }
    if (id == kNone || !index_.IsDefined(id)) {
      verdict.near = NearNames(tree_, name);
      return Refuse(verdict, Refusal::kUnknownSymbol, UnknownSymbol(tree_, name).message);
    }
    verdict.symbol = id;
    const Symbol& symbol = tree_.symbol(id);
    if (symbol.is_transitional) {
      return Refuse(verdict, Refusal::kNoPrompt,
                    fmt::format("{} is transitional: it is read from an old .config, and nobody "
                                "can set it",
                                symbol.name));
    }
    const bool is_valid = IsLogical(symbol.type) ? ReadTristate(verdict.action.value).has_value() &&
                                                       (verdict.action.value != "m" ||
                                                        symbol.type == SymbolType::kTristate)
                                                 : IsValidText(symbol.type, verdict.action.value);
    if (is_valid) return;
    Refuse(verdict, Refusal::kWrongType,
           fmt::format("{}: \"{}\" is no value of a {}; allowed: {}", symbol.name,
                       verdict.action.value, NameOf(symbol.type), AllowedFor(symbol.type)));
  }

  static std::string_view AllowedFor(SymbolType type) {
    switch (type) {
      case SymbolType::kBool:
        return "n, y";
      case SymbolType::kTristate:
        return "n, m, y";
      case SymbolType::kInt:
        return "a decimal number";
      case SymbolType::kHex:
        return "a number such as 0x1f";
      default:
        return "a text";
    }
  }

  static void Refuse(ActionVerdict& verdict, Refusal refusal, std::string message) {
    verdict.refusal = refusal;
    verdict.message = std::move(message);
  }

  bool IsAllWell() const {
    return std::all_of(answer_.verdicts.begin(), answer_.verdicts.end(),
                       [](const ActionVerdict& v) { return v.refusal == Refusal::kNothing; });
  }

  // The same symbol with two values, or two members of a choice: no order of setting them helps.
  void RefuseContradictions() {
    for (std::size_t i = 0; i < answer_.verdicts.size(); ++i) {
      for (std::size_t k = i + 1; k < answer_.verdicts.size(); ++k) {
        if (!Contradict(answer_.verdicts[i], answer_.verdicts[k])) continue;
        RefuseConflict(i, {k});
        RefuseConflict(k, {i});
      }
    }
  }

  bool Contradict(const ActionVerdict& a, const ActionVerdict& b) const {
    if (a.symbol == kNone || b.symbol == kNone) return false;
    const Symbol& symbol = tree_.symbol(a.symbol);
    if (a.symbol == b.symbol) return !IsSameValue(symbol.type, a.action.value, b.action.value);
    return symbol.choice != kNone && symbol.choice == tree_.symbol(b.symbol).choice &&
           symbol.type == SymbolType::kBool && a.action.value == "y" && b.action.value == "y";
  }

  void RefuseConflict(std::size_t i, const std::vector<std::size_t>& others) {
    ActionVerdict& verdict = answer_.verdicts[i];
    verdict.conflicts.insert(verdict.conflicts.end(), others.begin(), others.end());
    std::vector<std::string> names;
    for (const std::size_t other : verdict.conflicts) {
      const Action& action = answer_.verdicts[other].action;
      names.push_back(fmt::format("{}={}", action.symbol, action.value));
    }
    Refuse(verdict, Refusal::kConflict,
           fmt::format("{}={} cannot be together with {}", verdict.action.symbol,
                       verdict.action.value, fmt::join(names, ", ")));
  }

  void SetOn(Configuration& configuration, const ActionVerdict& verdict) const {
    if (IsLogical(tree_.symbol(verdict.symbol).type)) {
      configuration.Set(verdict.symbol, *ReadTristate(verdict.action.value));
    } else {
      static_cast<void>(configuration.Set(verdict.symbol, verdict.action.value));
    }
  }

  // All that can be set at all, but one.
  Configuration ApplyAllBut(std::size_t skipped) const {
    Configuration result = before_;
    for (std::size_t i = 0; i < answer_.verdicts.size(); ++i) {
      if (i != skipped && is_sound_[i]) SetOn(result, answer_.verdicts[i]);
    }
    return result;
  }

  bool Holds(const Configuration& configuration, const ActionVerdict& verdict) const {
    return IsSameValue(tree_.symbol(verdict.symbol).type, configuration.text(verdict.symbol),
                       verdict.action.value);
  }

  void RefuseUnmet(std::size_t i) {
    ActionVerdict& verdict = answer_.verdicts[i];
    Configuration alone = before_;
    SetOn(alone, verdict);
    if (!Holds(alone, verdict)) return RefuseBlocked(i);
    std::vector<std::size_t> others;
    for (std::size_t k = 0; k < answer_.verdicts.size(); ++k) {
      if (k != i && is_sound_[k] && Holds(ApplyAllBut(k), verdict)) others.push_back(k);
    }
    RefuseConflict(i, others);
    if (others.empty()) verdict.message += "the other actions";
    verdict.blockers = Obstruction(i).blockers;
  }

  // What is in the way once all others are set.
  Possibility Obstruction(std::size_t i) const {
    return WhyNot(index_, ApplyAllBut(i), answer_.verdicts[i].symbol,
                  answer_.verdicts[i].action.value);
  }

  void RefuseBlocked(std::size_t i) {
    ActionVerdict& verdict = answer_.verdicts[i];
    Possibility why = Obstruction(i);
    const Configuration others = ApplyAllBut(i);
    const Symbol& symbol = tree_.symbol(verdict.symbol);
    Refusal refusal = Refusal::kNotVisible;
    if (!index_.HasPrompt(verdict.symbol)) {
      refusal = Refusal::kNoPrompt;
    } else if (!IsLogical(symbol.type)) {
      if (others.visibility(verdict.symbol) != Tristate::kNo) refusal = Refusal::kOutOfRange;
    } else {
      const Tristate wanted = *ReadTristate(verdict.action.value);
      if (others.selected(verdict.symbol) > wanted) {
        refusal = Refusal::kSelected;
      } else if (symbol.choice != kNone && wanted == Tristate::kNo &&
                 others.visibility(verdict.symbol) != Tristate::kNo) {
        refusal = Refusal::kInChoice;
      }
    }
    verdict.blockers = std::move(why.blockers);
    Refuse(verdict, refusal, std::move(why.sentence));
  }

  ActionsAnswer Finish() {
    answer_.is_accepted = IsAllWell();
    if (answer_.is_accepted) {
      answer_.effects = DifferenceOf(before_, after_);
      answer_.after = std::move(after_);
    }
    return std::move(answer_);
  }

  const TreeIndex& index_;
  const Tree& tree_;
  const Configuration& before_;
  Configuration after_;
  ActionsAnswer answer_;
  std::vector<bool> is_sound_;  // By action: a known symbol, a value of its type, no contradiction.
};

}  // namespace

std::string_view NameOf(Refusal refusal) {
  constexpr std::string_view kNames[] = {"nothing",      "unknown_symbol", "wrong_type",
                                         "out_of_range", "not_visible",    "no_prompt",
                                         "selected",     "in_choice",      "conflict"};
  return kNames[static_cast<std::size_t>(refusal)];
}

ActionsAnswer Judge(const TreeIndex& index, const Configuration& configuration,
                    const std::vector<Action>& actions) {
  return Judgement(index, configuration, actions).Run();
}

std::vector<Change> DifferenceOf(const Configuration& before, const Configuration& after) {
  std::vector<Change> changes;
  const Tree& tree = before.tree();
  for (const SymbolId id : tree.order()) {
    if (tree.symbol(id).name.empty() || before.text(id) == after.text(id)) continue;
    changes.push_back({id, std::string(before.text(id)), std::string(after.text(id))});
  }
  return changes;
}

}  // namespace hone::kconfig
