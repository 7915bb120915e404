// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/measure/multiple.h"
#include "hone/measure/power.h"
#include "hone/tune/campaign/ablation.h"
#include "hone/tune/campaign/gate.h"
#include "hone/tune/campaign/proof.h"
#include "hone/tune/campaign/search.h"
#include "hone/tune/campaign/stage.h"

namespace hone::tune {
namespace {

// Above this, the trials cannot be told from the baseline run again and again.
constexpr double kInsensitiveP = 0.05;

class Campaign {
 public:
  explicit Campaign(const CampaignParts& parts)
      : parts_(parts),
        runner_(parts.spec, parts.id, parts.needs, parts.queue, parts.ledger),
        stage_{.spec = parts.spec,
               .space = parts.space,
               .baseline = parts.baseline,
               .runner = runner_,
               .ledger = parts.ledger,
               .sink = parts.progress,
               .progress = {},
               .keep_learnt = parts.keep_learnt} {}

  Result<Verdict> Run() {
    auto gate = RunGate();
    if (!gate) return gate.error();
    Search search(stage_, parts_.proposer, std::move(*gate), parts_.wrap_up);
    if (auto searched = search.Run(); !searched) return searched.error();
    runner_.ListenTo(parts_.abandon);
    noise_ = search.book().Noise();
    stage_.planned_runs = runner_.runs_planned() + RunsAfterSearch(parts_.spec, CountParameters());
    if (auto noted = NoteSensitivity(search); !noted) return noted.error();
    const auto finalists = search.ChooseFinalists();
    if (!finalists) return finalists.error();
    auto judged = parts_.spec.wants_front ? ProveFront(*finalists) : ProveWinner(*finalists);
    if (!judged) return judged.error();
    return Conclude(search, std::move(*judged));
  }

 private:
  // The rewards of the A/A pairs.
  Result<std::vector<double>> RunGate() {
    runner_.ListenTo(parts_.abandon);
    stage_.Enter(Phase::kGate, parts_.spec.gate_pairs);
    const auto block = runner_.Run(
        {{BlockPhase::kGate}, parts_.baseline, parts_.baseline, parts_.spec.gate_pairs});
    if (!block) return block.error();
    if (block->is_interrupted) return Abandoned();
    if (block->outcome != Outcome::kAccepted) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("baseline: it does not run as it is ({}: {}); make it run before "
                               "tuning it",
                               NameOf(block->outcome), block->reason)};
    }
    const auto report = JudgeGate(parts_.spec, CountParameters(), block->pairs);
    if (!report) return report.error();
    if (auto recorded = parts_.ledger.Record(ToDecision(*report)); !recorded) {
      return recorded.error();
    }
    stage_.run_time = report->run_time;
    stage_.planned_runs = report->planned_runs;
    stage_.Report(parts_.spec.gate_pairs);
    return NumbersOf(parts_.spec.rule, block->pairs)->rewards;
  }

  std::int64_t CountParameters() const {
    return static_cast<std::int64_t>(parts_.space.parameters().size());
  }

  Result<void> NoteSensitivity(const Search& search) {
    const double p = search.book().SensitivityP();
    const bool is_moved = p <= kInsensitiveP;
    if (!is_moved) {
      notes_.push_back(fmt::format(
          "Nothing that was tried moved {} (p = {:.2f} over {} candidates): the parameters may not "
          "matter for this benchmark.",
          parts_.spec.rule.objectives.front().metric, p, search.book().size()));
    }
    return parts_.ledger.Record(
        ToDecision(SensitivityDecision{.is_moved = is_moved, .p_value = p}));
  }

  Result<Verdict> ProveWinner(const std::vector<Recommendation>& finalists) {
    Verdict verdict;
    verdict.detectable = MinimumDetectableEffect(noise_, parts_.spec.proof.max_pairs,
                                                 1 - parts_.spec.proof.confidence, 0.8);
    if (finalists.empty() || !IsWorthProving(finalists.front().reward)) {
      verdict.reason = "No candidate is believed to beat the baseline by enough to matter.";
      return verdict;
    }
    const Recommendation& winner = finalists.front();
    const std::int64_t pairs = ProofPairs(parts_.spec.proof, winner.reward.mean, noise_);
    verdict.detectable =
        MinimumDetectableEffect(noise_, pairs, 1 - parts_.spec.proof.confidence, 0.8);
    auto proof = ProveAs(BlockPhase::kProof, winner.candidate, pairs);
    if (!proof) return proof.error();
    verdict.proof = *proof;
    if (!proof->is_gain) {
      verdict.reason = WhyNoGain(*proof);
      return verdict;
    }
    verdict.kind = Verdict::Kind::kGain;
    verdict.reason = "The winner beat the baseline on fresh runs.";
    if (!parts_.spec.proof.has_ablation || winner.candidate.assignment.empty()) return verdict;
    return Reduce(std::move(verdict), pairs);
  }

  // What is believed to lie surely below the least gain of interest is not worth the runs.
  bool IsWorthProving(const Estimate& belief) const {
    return belief.mean + 2 * belief.standard_error >= parts_.spec.proof.min_gain;
  }

  Result<Proof> ProveAs(BlockPhase phase, const Candidate& candidate, std::int64_t pairs) {
    if (auto recorded = parts_.ledger.Record(
            ToDecision(ProveDecision{.phase = phase, .candidate = candidate, .pairs = pairs}));
        !recorded) {
      return recorded.error();
    }
    stage_.Enter(Phase::kProof, pairs);
    return Prove(stage_, {phase}, candidate, pairs, parts_.spec.proof.confidence);
  }

  // The smallest change that gives the gain, proven on runs of its own.
  Result<Verdict> Reduce(Verdict verdict, std::int64_t pairs) {
    auto ablation =
        Ablate(stage_, verdict.proof->candidate, {verdict.proof->reward.effect, noise_});
    if (!ablation) return ablation.error();
    verdict.effects = std::move(ablation->effects);
    if (ablation->dropped.empty()) return verdict;
    auto proof = ProveAs(BlockPhase::kProofReduced, ablation->candidate, pairs);
    if (!proof) return proof.error();
    if (!proof->is_gain) {
      verdict.effects.clear();
      verdict.notes.push_back(
          fmt::format("Without {} the gain could not be shown again, so they stay.",
                      fmt::join(ablation->dropped, ", ")));
      return verdict;
    }
    verdict.proof = std::move(*proof);
    verdict.dropped = std::move(ablation->dropped);
    return verdict;
  }

  Result<Verdict> ProveFront(const std::vector<Recommendation>& finalists) {
    Verdict verdict;
    const ProofSettings& settings = parts_.spec.proof;
    if (finalists.empty()) {
      verdict.reason = "No candidate is believed to beat the baseline in any objective.";
      return verdict;
    }
    const double confidence = 1 - (1 - settings.confidence) / static_cast<double>(finalists.size());
    const std::int64_t pairs = settings.max_pairs / 2 + settings.min_pairs / 2;
    verdict.detectable = MinimumDetectableEffect(noise_, pairs, 1 - confidence, 0.8);
    std::vector<double> p_values;
    for (std::size_t i = 0; i < finalists.size(); ++i) {
      const BlockId id{BlockPhase::kFront, static_cast<std::int64_t>(i)};
      stage_.Enter(Phase::kProof, pairs);
      auto proof = Prove(stage_, id, finalists[i].candidate, pairs, confidence);
      if (!proof) return proof.error();
      if (!proof->failure.empty()) continue;
      verdict.front.push_back(std::move(*proof));
      p_values.push_back(BestObjectiveP(verdict.front.back()));
    }
    return JudgeFront(std::move(verdict), p_values);
  }

  // The smallest p-value of a better objective, corrected for looking at all of them.
  static double BestObjectiveP(const Proof& proof) {
    std::vector<double> p_values;
    for (const ObjectiveGain& gain : proof.objectives) {
      p_values.push_back(gain.test.effect > 0 ? gain.test.p_value : 1);
    }
    const auto adjusted = AdjustByHolm(p_values);
    return adjusted.empty() ? 1 : *std::min_element(adjusted.begin(), adjusted.end());
  }

  Result<Verdict> JudgeFront(Verdict verdict, const std::vector<double>& p_values) const {
    const auto adjusted = AdjustByHolm(p_values);
    bool has_gain = false;
    for (std::size_t i = 0; i < verdict.front.size(); ++i) {
      Proof& proof = verdict.front[i];
      proof.adjusted_p = adjusted[i];
      const bool is_within_limits =
          std::all_of(proof.limits.begin(), proof.limits.end(),
                      [](const LimitCheck& check) { return check.holds; });
      proof.is_gain = is_within_limits && adjusted[i] <= 1 - parts_.spec.proof.confidence;
      has_gain = has_gain || proof.is_gain;
    }
    verdict.kind = has_gain ? Verdict::Kind::kFront : Verdict::Kind::kNoGain;
    verdict.reason = has_gain ? "These points beat the baseline in at least one objective."
                              : "No point was shown to beat the baseline in any objective.";
    return verdict;
  }

  std::string WhyNoGain(const Proof& proof) const {
    if (!proof.failure.empty())
      return fmt::format("The winner failed its proof: {}.", proof.failure);
    for (const LimitCheck& check : proof.limits) {
      if (!check.holds) {
        return fmt::format("The limit {} was not shown to hold.", ToText(check.limit));
      }
    }
    if (proof.reward.interval.high < 0)
      return "On fresh runs the winner is worse than the baseline.";
    return "On fresh runs the winner could not be told from the baseline.";
  }

  Result<Verdict> Conclude(const Search& search, Verdict verdict) {
    if (search.was_interrupted()) {
      verdict.notes.push_back(
          fmt::format("The search was interrupted after {} trials.", search.book().size()));
    }
    verdict.notes.insert(verdict.notes.end(), notes_.begin(), notes_.end());
    if (auto recorded = parts_.ledger.Record(ToDecision(verdict)); !recorded) {
      return recorded.error();
    }
    return verdict;
  }

  const CampaignParts& parts_;
  PairRunner runner_;
  Stage stage_;
  double noise_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace

Result<Verdict> RunCampaign(const CampaignParts& parts) {
  if (auto valid = Validate(parts.spec); !valid) return valid.error();
  return Campaign(parts).Run();
}

}  // namespace hone::tune
