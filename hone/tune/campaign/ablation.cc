// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/ablation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "hone/base/json/records.h"
#include "hone/measure/sequential.h"
#include "hone/tune/campaign/proof.h"

namespace hone::tune {
namespace {

// A loss is taken as real at this level, unless it is below the least gain of interest.
constexpr double kLossLevel = 0.10;
// All that is dropped may together cost this share of the gain, by estimate.
constexpr double kTolerableShare = 0.15;
// The standard error of one comparison, as a share of the gain, that the pairs are chosen for.
constexpr double kPrecision = 0.15;
// A loss this clear, by a test that may be looked at all the time, needs no more pairs.
constexpr double kClearLevel = 0.01;

using Names = std::vector<std::string>;

std::string TextIn(const Candidate& candidate, const std::string& name) {
  const auto found = candidate.assignment.find(name);
  return found == candidate.assignment.end() ? "" : ToText(found->second);
}

class Ablation {
 public:
  Ablation(Stage& stage, const Candidate& winner, const AblationSettings& settings)
      : stage_(stage),
        settings_(settings),
        winner_(winner),
        tolerance_(FullTolerance()),
        current_(winner) {}

  Result<AblationResult> Run() {
    const Names changed = ChangedParameters(stage_.baseline, current_);
    stage_.Enter(Phase::kAblation, 0);
    if (changed.size() > 1) {
      const auto middle = changed.begin() + static_cast<std::ptrdiff_t>(changed.size() / 2);
      if (auto done = TryWithout({changed.begin(), middle}); !done) return done.error();
      if (auto done = TryWithout({middle, changed.end()}); !done) return done.error();
    }
    if (auto confirmed = ConfirmDropped(); !confirmed) return confirmed.error();
    auto effects = MeasureEffects();
    if (!effects) return effects.error();
    if (auto done = DropWorthless(*effects); !done) return done.error();
    // Of a single one that is left, the effect was measured among others that are gone.
    if (ChangedParameters(stage_.baseline, current_).size() < 2) effects->clear();
    return AblationResult{current_, DroppedNames(), std::move(*effects)};
  }

 private:
  struct Group {
    Names names;
    double loss = 0;  // As it was seen.
  };

  double FullTolerance() const {
    return std::max(stage_.spec.proof.min_gain, kTolerableShare * settings_.gain);
  }

  Names DroppedNames() const {
    Names names;
    for (const Group& group : dropped_) {
      names.insert(names.end(), group.names.begin(), group.names.end());
    }
    return names;
  }

  // Puts the group back if that costs nothing, else tries its halves.
  Result<void> TryWithout(const Names& group) {
    const auto less = PutBack(stage_.space, stage_.baseline, current_, group);
    if (less && *less != current_ && less->assignment != stage_.baseline.assignment) {
      const auto loss = LossOf(current_, *less, group);
      if (!loss) return loss.error();
      if (*loss) {
        Drop(*less, group, **loss);
        return {};
      }
    }
    if (group.size() < 2) return {};
    const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
    if (auto done = TryWithout({group.begin(), middle}); !done) return done;
    return TryWithout({middle, group.end()});
  }

  // Groups were left out for seeming to cost little, so they cost more than was seen. All of them
  // together are measured on pairs of their own; as long as that is too much, the one that seemed
  // dearest stays after all.
  Result<void> ConfirmDropped() {
    while (stage_.spec.proof.confirms_dropped && !dropped_.empty()) {
      tolerance_ = FullTolerance();
      const auto loss = LossOf(winner_, current_, DroppedNames());
      if (!loss) return loss.error();
      if (*loss) return {};
      do {
        dropped_.erase(std::ranges::max_element(dropped_, {}, &Group::loss));
      } while (!TakeOutOfWinner());
    }
    return {};
  }

  // Makes the winner without what is dropped; false where the space does not allow that.
  bool TakeOutOfWinner() {
    const auto less = PutBack(stage_.space, stage_.baseline, winner_, DroppedNames());
    if (less) current_ = *less;
    return less.has_value();
  }

  // What the candidate with less loses, taken out of what may still be lost; none if that is too
  // much, or sure.
  Result<std::optional<double>> LossOf(const Candidate& whole, const Candidate& less,
                                       const Names& without) {
    const auto is_clear_loss = [&](const PairNumbers& numbers) {
      ConfidenceSequence sequence(kClearLevel, settings_.noise);
      for (const double reward : numbers.rewards) sequence.Add(reward);
      return sequence.EValueBelow(0) >= 1 / kClearLevel;
    };
    const auto measured = Compare(whole, less, is_clear_loss);
    if (!measured) return measured.error();
    bool is_free = measured->failure.empty();
    PairedTest test;
    double loss = 0;
    if (is_free) {
      test = TestPairs(measured->numbers.rewards, stage_.spec.proof.confidence);
      loss = std::max(0.0, -test.effect);
      const bool is_real = loss >= stage_.spec.proof.min_gain &&
                           OneSidedP(measured->numbers.rewards, 0, Side::kBelow) < kLossLevel;
      is_free = !is_real && Spend(loss);
    }
    if (auto recorded = stage_.ledger.Record(ToDecision(
            AblateDecision{.without = without, .is_free = is_free, .effect = test.effect}));
        !recorded) {
      return recorded.error();
    }
    return is_free ? std::optional(loss) : std::nullopt;
  }

  void Drop(const Candidate& less, const Names& names, double loss) {
    current_ = less;
    dropped_.push_back({names, loss});
  }

  // Takes the loss out of what may still be lost; false, and nothing taken, if it is too much.
  bool Spend(double loss) {
    if (loss > tolerance_) return false;
    tolerance_ -= loss;
    return true;
  }

  // Enough to see a share of the gain that matters.
  std::int64_t Pairs() const {
    const double ratio = settings_.noise / (kPrecision * std::max(settings_.gain, 1e-9));
    const ProofSettings& proof = stage_.spec.proof;
    const double wanted = std::min(std::ceil(ratio * ratio), static_cast<double>(proof.max_pairs));
    return std::max(proof.min_pairs, static_cast<std::int64_t>(wanted));
  }

  Result<Measured> Compare(const Candidate& whole, const Candidate& less,
                           const std::function<bool(const PairNumbers&)>& enough) {
    const BlockId id{BlockPhase::kAblation, comparisons_++};
    auto measured = MeasurePairs(stage_, {id, whole, less, Pairs()}, enough);
    if (measured && measured->is_interrupted) return Abandoned();
    return measured;
  }

  // Each parameter alone, put back from the smallest winner; with one left, its effect is the gain.
  Result<std::vector<ParameterEffect>> MeasureEffects() {
    std::vector<ParameterEffect> effects;
    const Names kept = ChangedParameters(stage_.baseline, current_);
    if (kept.size() < 2) return effects;
    for (const std::string& name : kept) {
      const auto less = PutBack(stage_.space, stage_.baseline, current_, {name});
      if (!less || *less == current_) continue;
      const auto measured = Compare(current_, *less, nullptr);
      if (!measured) return measured.error();
      if (!measured->failure.empty() || measured->numbers.rewards.empty()) continue;
      std::vector<double> losses = measured->numbers.rewards;
      for (double& loss : losses) loss = -loss;
      effects.push_back({name, TextIn(stage_.baseline, name), TextIn(current_, name),
                         TestPairs(losses, stage_.spec.proof.confidence)});
    }
    std::stable_sort(effects.begin(), effects.end(), [](const auto& a, const auto& b) {
      return a.effect.effect > b.effect.effect;
    });
    return effects;
  }

  // What looked like a loss when more was changed may be worth nothing now. From the least worth
  // on.
  Result<void> DropWorthless(std::vector<ParameterEffect>& effects) {
    if (stage_.spec.proof.confirms_dropped) return DropWorthlessAtOnce(effects);
    while (effects.size() > 1) {
      const ParameterEffect& min = effects.back();
      if (min.effect.effect >= stage_.spec.proof.min_gain) return {};
      const double loss = std::max(0.0, min.effect.effect);
      const auto less = PutBack(stage_.space, stage_.baseline, current_, {min.name});
      if (!less || !Spend(loss)) return {};
      Drop(*less, {min.name}, loss);
      effects.pop_back();
    }
    return {};
  }

  // All together, if they cost nothing on pairs that did not choose them.
  Result<void> DropWorthlessAtOnce(std::vector<ParameterEffect>& effects) {
    const auto is_worthless = [&](const ParameterEffect& effect) {
      return effect.effect.effect < stage_.spec.proof.min_gain;
    };
    auto first = std::ranges::find_if(effects, is_worthless);  // They are in order.
    if (first == effects.begin() && first != effects.end()) ++first;
    Names names;
    for (auto effect = first; effect != effects.end(); ++effect) names.push_back(effect->name);
    if (names.empty()) return {};
    const auto less = PutBack(stage_.space, stage_.baseline, current_, names);
    if (!less || *less == current_ || less->assignment == stage_.baseline.assignment) return {};
    const auto loss = LossOf(current_, *less, names);
    if (!loss) return loss.error();
    if (!*loss) return {};
    Drop(*less, names, **loss);
    effects.erase(first, effects.end());
    return {};
  }

  Stage& stage_;
  const AblationSettings settings_;
  const Candidate winner_;
  double tolerance_;  // What may still be lost.
  Candidate current_;
  std::vector<Group> dropped_;
  int comparisons_ = 0;
};

}  // namespace

std::vector<std::string> ChangedParameters(const Candidate& baseline, const Candidate& candidate) {
  std::set<std::string> names;
  for (const auto& [name, value] : candidate.assignment) {
    const auto before = baseline.assignment.find(name);
    if (before == baseline.assignment.end() || before->second != value) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::optional<Candidate> PutBack(const Space& space, const Candidate& baseline,
                                 const Candidate& candidate,
                                 const std::vector<std::string>& names) {
  Candidate less = candidate;
  for (const std::string& name : names) {
    const auto before = baseline.assignment.find(name);
    if (before != baseline.assignment.end()) {
      less.assignment[name] = before->second;
    } else {
      less.assignment.erase(name);
    }
  }
  for (const Parameter& parameter : space.parameters()) {
    if (!space.IsActive(parameter, less.assignment)) {
      less.assignment.erase(parameter.name);
    } else if (!less.assignment.contains(parameter.name)) {
      less.assignment[parameter.name] = parameter.default_value;
    }
  }
  if (!space.Validate(less.assignment)) return std::nullopt;
  return less;
}

Result<AblationResult> Ablate(Stage& stage, const Candidate& winner,
                              const AblationSettings& settings) {
  return Ablation(stage, winner, settings).Run();
}

}  // namespace hone::tune
