// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/ablation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "hone/base/records.h"
#include "hone/measure/sequential.h"
#include "hone/tune/proof.h"

namespace hone {
namespace {

// A loss below the least gain of interest is none. Above it, a loss is taken as real at this level,
// and as too large to wave through above this share of the gain, whatever its p-value.
constexpr double kLossLevel = 0.10;
constexpr double kTolerableShare = 0.20;
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
      : stage_(stage), settings_(settings), current_(winner) {}

  Result<AblationResult> Run() {
    const Names changed = ChangedParameters(stage_.baseline, current_);
    stage_.Enter(Phase::kAblation, 0);
    if (changed.size() > 1) {
      const auto middle = changed.begin() + static_cast<std::ptrdiff_t>(changed.size() / 2);
      if (auto done = TryWithout({changed.begin(), middle}); !done) return done.error();
      if (auto done = TryWithout({middle, changed.end()}); !done) return done.error();
    }
    AblationResult result;
    result.candidate = current_;
    result.dropped = dropped_;
    auto effects = MeasureEffects();
    if (!effects) return effects.error();
    result.effects = std::move(*effects);
    return result;
  }

 private:
  // Puts the group back if that costs nothing, else tries its halves.
  Result<void> TryWithout(const Names& group) {
    const auto less = PutBack(stage_.space, stage_.baseline, current_, group);
    if (less && *less != current_ && less->assignment != stage_.baseline.assignment) {
      const auto is_free = CostsNothing(*less, group);
      if (!is_free) return is_free.error();
      if (*is_free) {
        current_ = *less;
        dropped_.insert(dropped_.end(), group.begin(), group.end());
        return {};
      }
    }
    if (group.size() < 2) return {};
    const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
    if (auto done = TryWithout({group.begin(), middle}); !done) return done;
    return TryWithout({middle, group.end()});
  }

  Result<bool> CostsNothing(const Candidate& less, const Names& group) {
    const auto is_clear_loss = [&](const PairNumbers& numbers) {
      ConfidenceSequence sequence(kClearLevel, settings_.noise);
      for (const double reward : numbers.rewards) sequence.Add(reward);
      return sequence.EValueBelow(0) >= 1 / kClearLevel;
    };
    const auto measured = Compare(less, is_clear_loss);
    if (!measured) return measured.error();
    bool is_free = measured->failure.empty();
    PairedTest test;
    if (is_free) {
      test = TestPairs(measured->numbers.rewards, stage_.spec.proof.confidence);
      const double loss = -test.effect;
      const bool is_real = OneSidedP(measured->numbers.rewards, 0, Side::kBelow) < kLossLevel;
      is_free = loss < stage_.spec.proof.least_gain ||
                (!is_real && loss <= kTolerableShare * settings_.gain);
    }
    if (auto recorded = stage_.ledger.Record(
            {"ablate", {{"without", group}, {"is_free", is_free}}, {{"effect", test.effect}}});
        !recorded) {
      return recorded.error();
    }
    return is_free;
  }

  Result<Measured> Compare(const Candidate& less,
                           const std::function<bool(const PairNumbers&)>& enough) {
    const std::string name = fmt::format("ablation/{}", comparisons_++);
    return MeasurePairs(stage_, {name, current_, less, settings_.pairs}, enough);
  }

  // Each parameter alone, put back from the smallest winner; with one left, its effect is the gain.
  Result<std::vector<ParameterEffect>> MeasureEffects() {
    std::vector<ParameterEffect> effects;
    const Names kept = ChangedParameters(stage_.baseline, current_);
    if (kept.size() < 2) return effects;
    for (const std::string& name : kept) {
      const auto less = PutBack(stage_.space, stage_.baseline, current_, {name});
      if (!less || *less == current_) continue;
      const auto measured = Compare(*less, nullptr);
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

  Stage& stage_;
  AblationSettings settings_;
  Candidate current_;
  Names dropped_;
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

}  // namespace hone
