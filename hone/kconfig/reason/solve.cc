// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "hone/kconfig/reason/near_names.h"
#include "hone/kconfig/reason/solve_proof.h"
#include "hone/kconfig/reason/solver_encoding.h"
#include "hone/kconfig/reason/solver_minimum.h"
#include "hone/kconfig/values/values.h"

namespace hone::kconfig {
namespace {

// How many sets of equally many changes are tried to find the one with the fewest effects.
constexpr std::size_t kTies = 24;

Result<void> CheckWish(const Tree& tree, const Wish& wish) {
  const Symbol& symbol = tree.symbol(wish.symbol);
  if (tree.RankOf(wish.symbol) == kNone) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: no file of the tree defines it", symbol.name)};
  }
  const bool is_valid = IsLogical(symbol.type)
                            ? wish.value == "n" || wish.value == "y" ||
                                  (wish.value == "m" && symbol.type == SymbolType::kTristate)
                            : IsValidText(symbol.type, wish.value);
  if (is_valid) return {};
  return Error{Errc::kInvalidArgument, fmt::format("{}: \"{}\" is no value of a {}", symbol.name,
                                                   wish.value, NameOf(symbol.type))};
}

// One request: the encoding of what bears on it, and the search.
class Attempt {
 public:
  Attempt(const TreeIndex& index, const Configuration& start, const SolveRequest& request)
      : index_(index),
        start_(start),
        request_(request),
        domains_(index, start),
        kept_(request.kept.begin(), request.kept.end()),
        encoding_(index, start, domains_, kept_, sat_, false),
        minimum_(encoding_, sat_, request.conflicts) {
    for (const Wish& wish : request.wishes) domains_.Want(wish.symbol, wish.value);
  }

  Result<SolveAnswer> Run() {
    for (const Wish& wish : request_.wishes) {
      encoding_.Define(wish.symbol);
      for (const Literal literal : encoding_.IsValue(wish.symbol, wish.value)) {
        sat_.AddClause({literal});
      }
    }
    while (WantsMore()) {
      DemandKept();
      const Minimum::SearchEnd end = minimum_.Next();
      if (end == Minimum::SearchEnd::kGaveUp) return GaveUp();
      if (end == Minimum::SearchEnd::kNoMore) break;
      if (!tried_.empty() && !WantsCost(minimum_.cost())) break;
      TryFound();
    }
    if (tried_.empty() && is_unsound_) return Unsound();
    return MakeAnswer();
  }

 private:
  struct Tried {
    std::size_t cost;
    Solution solution;
  };

  // A setting, and the configuration after it and all before it.
  struct Step {
    Changed changed;
    Configuration after;
    std::vector<SymbolId> touched;
  };

  bool WantsMore() const {
    if (tried_.empty()) return true;
    if (tried_.front().solution.settings.empty()) return false;
    if (request_.alternatives > 1) return tried_.size() < request_.alternatives + kTies;
    const Solution& first = tried_.front().solution;
    if (tried_.size() == 1 && first.effects.size() <= first.settings.size()) return false;
    return tried_.size() < kTies;
  }

  bool WantsCost(std::size_t cost) const {
    return cost == tried_.front().cost || request_.alternatives > tried_.size();
  }

  // What must not change is demanded as soon as the encoding mentions it.
  void DemandKept() {
    for (; demanded_ < encoding_.mentioned().size(); ++demanded_) {
      const SymbolId id = encoding_.mentioned()[demanded_];
      if (!kept_.contains(id)) continue;
      for (const Literal literal : encoding_.NowOf(id)) sat_.AddClause({literal});
    }
  }

  // Sets what was found on a copy and sees what comes of it. If it is not what was wished for, a
  // symbol that was taken to stay as it is has moved, and is defined.
  void TryFound() {
    std::vector<Changed> found = minimum_.found();
    std::sort(found.begin(), found.end(),
              [this](const Changed& a, const Changed& b) { return RankOf(a) < RankOf(b); });
    Replay(found);
    const Configuration& after = steps_.empty() ? start_ : steps_.back().after;
    const std::vector<SymbolId> touched = Touched();
    if (IsMet(after, touched)) {
      tried_.push_back({found.size(), {SettingsOf(found), EffectsOf(after, touched)}});
      minimum_.Exclude(found);
      return;
    }
    if (Refine(after, touched)) return;
    is_unsound_ = true;
    minimum_.Exclude(found);
  }

  std::uint32_t RankOf(const Changed& changed) const {
    return index_.tree().RankOf(encoding_.changes()[changed.change].symbol);
  }

  // Answers of the same size often begin alike: what they share is not set again.
  void Replay(const std::vector<Changed>& found) {
    std::size_t same = 0;
    while (same < found.size() && same < steps_.size() && steps_[same].changed == found[same]) {
      ++same;
    }
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(same), steps_.end());
    for (std::size_t i = same; i < found.size(); ++i) {
      Step step{found[i], i == 0 ? start_ : steps_.back().after, {}};
      step.touched = Apply(found[i], step.after);
      steps_.push_back(std::move(step));
    }
  }

  std::vector<SymbolId> Touched() const {
    std::vector<SymbolId> touched;
    for (const Step& step : steps_) {
      touched.insert(touched.end(), step.touched.begin(), step.touched.end());
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    return touched;
  }

  Change SettingOf(const Changed& changed) const {
    const UserChange& change = encoding_.changes()[changed.change];
    const bool is_member = !change.members.empty();
    const SymbolId id = is_member ? change.members[changed.option] : change.symbol;
    return {id, start_.UserValue(id).value_or(""),
            is_member ? "y" : change.options[changed.option].text};
  }

  std::vector<Change> SettingsOf(const std::vector<Changed>& found) const {
    std::vector<Change> settings;
    settings.reserve(found.size());
    for (const Changed& changed : found) settings.push_back(SettingOf(changed));
    return settings;
  }

  std::vector<SymbolId> Apply(const Changed& changed, Configuration& after) const {
    const Change setting = SettingOf(changed);
    auto moved = after.Set(setting.symbol, setting.after);
    return moved ? std::move(*moved) : std::vector<SymbolId>{};
  }

  bool IsMet(const Configuration& after, const std::vector<SymbolId>& touched) const {
    for (const Wish& wish : request_.wishes) {
      const SymbolType type = index_.tree().symbol(wish.symbol).type;
      if (!IsSameValue(type, after.text(wish.symbol), wish.value)) return false;
    }
    return std::none_of(touched.begin(), touched.end(), [&](SymbolId id) {
      return kept_.contains(id) && after.text(id) != start_.text(id);
    });
  }

  bool Refine(const Configuration& after, const std::vector<SymbolId>& touched) {
    bool is_finer = false;
    const std::unordered_set<SymbolId> mentioned(encoding_.mentioned().begin(),
                                                 encoding_.mentioned().end());
    for (const SymbolId id : touched) {
      if (after.text(id) == start_.text(id) || encoding_.IsDefined(id)) continue;
      if (!mentioned.contains(id) && !kept_.contains(id)) continue;
      encoding_.Define(id);
      is_finer = true;
    }
    return is_finer;
  }

  std::vector<Change> EffectsOf(const Configuration& after,
                                const std::vector<SymbolId>& touched) const {
    std::vector<Change> effects;
    for (const SymbolId id : touched) {
      if (after.text(id) == start_.text(id) || index_.tree().symbol(id).name.empty()) continue;
      effects.push_back({id, std::string(start_.text(id)), std::string(after.text(id))});
    }
    return effects;
  }

  Result<SolveAnswer> MakeAnswer() {
    SolveAnswer answer;
    std::stable_sort(tried_.begin(), tried_.end(), [](const Tried& a, const Tried& b) {
      return std::pair(a.cost, a.solution.effects.size()) <
             std::pair(b.cost, b.solution.effects.size());
    });
    std::set<std::set<SymbolId>> seen;
    for (Tried& tried : tried_) {
      std::set<SymbolId> symbols;
      for (const Change& setting : tried.solution.settings) symbols.insert(setting.symbol);
      if (answer.solutions.size() >= request_.alternatives) break;
      if (seen.insert(symbols).second) answer.solutions.push_back(std::move(tried.solution));
    }
    answer.questions = minimum_.questions();
    answer.clauses = sat_.clause_count();
    if (!answer.solutions.empty()) return answer;
    auto conflict = ProveConflict(index_, start_, request_, encoding_.defined());
    if (!conflict) return conflict.error();
    answer.conflict = std::move(*conflict);
    answer.commands = CommandsBehind(index_.tree(), answer.conflict);
    return answer;
  }

  static Error GaveUp() {
    return {Errc::kUnavailable, "solve: undecided after the allowed conflicts; allow more"};
  }

  static Error Unsound() {
    return {Errc::kUnsupported,
            "solve: what the solver found does not hold in the tree; no answer is better than a "
            "wrong one. Please report the request"};
  }

  const TreeIndex& index_;
  const Configuration& start_;
  const SolveRequest& request_;
  TextDomains domains_;
  std::unordered_set<SymbolId> kept_;
  SatSolver sat_;
  Encoding encoding_;
  Minimum minimum_;
  std::vector<Tried> tried_;
  std::vector<Step> steps_;
  std::size_t demanded_ = 0;
  bool is_unsound_ = false;
};

}  // namespace

Result<Wish> ParseWish(const Tree& tree, std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos || sign == 0) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("\"{}\": expected NAME=VALUE, as in SMP=y", text)};
  }
  std::string_view name = text.substr(0, sign);
  SymbolId id = tree.Find(name);
  if (id == kNone && name.starts_with(tree.dialect().prefix)) {
    id = tree.Find(name.substr(tree.dialect().prefix.size()));
  }
  if (id == kNone) return UnknownSymbol(tree, name);
  std::string_view value = text.substr(sign + 1);
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  return Wish{id, std::string(value)};
}

Result<SolveAnswer> Solver::Solve(const Configuration& start, const SolveRequest& request) const {
  for (const Wish& wish : request.wishes) {
    if (auto checked = CheckWish(index_->tree(), wish); !checked) return checked.error();
  }
  return Attempt(*index_, start, request).Run();
}

}  // namespace hone::kconfig
