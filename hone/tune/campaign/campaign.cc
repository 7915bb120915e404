// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "hone/measure/multiple.h"
#include "hone/measure/power.h"
#include "hone/tune/campaign/ablation.h"
#include "hone/tune/campaign/campaign_power.h"
#include "hone/tune/campaign/comparison.h"
#include "hone/tune/campaign/conclusion.h"
#include "hone/tune/campaign/gate.h"
#include "hone/tune/campaign/proof.h"
#include "hone/tune/campaign/search.h"
#include "hone/tune/campaign/stage.h"
#include "hone/tune/campaign/time_plan.h"
#include "hone/tune/campaign/words.h"

namespace hone::tune {
namespace {

// Above this, the trials cannot be told from the baseline run again and again.
constexpr double kInsensitiveP = 0.05;

constexpr std::int64_t kCheckPairs = 1;

class Campaign {
 public:
  explicit Campaign(const CampaignParts& parts)
      : parts_(parts),
        spec_(parts.spec),
        runner_(parts.spec, parts.id, parts.needs, parts.queue, parts.ledger),
        stage_{.spec = spec_,
               .space = parts.space,
               .baseline = parts.baseline,
               .runner = runner_,
               .ledger = parts.ledger,
               .sink = parts.progress,
               .progress = {},
               .keep_learnt = parts.keep_learnt,
               .pause = parts.pause} {}

  Result<Verdict> Run() {
    auto verdict = RunStages();
    if (verdict) return verdict;
    if (!death_ && MayBeDead()) death_ = AskBaseline();
    return death_ ? ConcludeStopped(*std::move(death_)) : verdict;
  }

 private:
  // A baseline that fails with nothing changed.
  struct Death {
    std::string why;
    std::vector<Evidence> output;
  };

  // What stands if the benchmark dies before all is done, and what is not known then.
  struct Proven {
    Verdict verdict;
    std::string missing;
  };

  Result<Verdict> RunStages() {
    const auto block = RunGate();
    if (!block) return block.error();
    if (auto runs = CheckRuns(*block); !runs) {
      return ConcludeDead({runs.error().message, block->evidence});
    }
    auto gate = PassGate(*block);
    if (!gate) return gate.error();
    if (HasBudget() && !PlanTime(spec_, pair_time_).fits) return ConcludeTooShort();
    if (spec_.comparison) return Compare(std::move(*gate));
    Search search(stage_, parts_.proposer, std::move(*gate), parts_.wrap_up);
    if (auto searched = search.Run(); !searched) return searched.error();
    if (parts_.abandon.stop_requested()) return Abandoned();
    runner_.ListenTo(parts_.abandon);
    noise_ = search.book().Noise();
    objective_noise_ = search.book().ObjectiveNoise();
    tally_ = search.Tally();
    stage_.planned_runs = runner_.runs_planned() + RunsAfterSearch(spec_, CountParameters());
    if (HasBudget()) spec_.proof = FitFinals(spec_, PairsLeftNow());
    if (auto noted = NoteSensitivity(search); !noted) return noted.error();
    const auto finalists = search.ChooseFinalists();
    if (!finalists) return finalists.error();
    auto judged = spec_.wants_front ? ProveFront(*finalists) : ProveWinner(*finalists);
    if (!judged) return judged.error();
    return Conclude(std::move(*judged));
  }

  // Where it is walked through again, the verdict is what comes next.
  bool MayBeDead() const {
    return runner_.has_given_up() || parts_.ledger.NextIs(DecisionKind::kVerdict);
  }

  // Runs the baseline by itself, where runs could not be made; nullopt if that goes well.
  std::optional<Death> AskBaseline() {
    runner_.ListenTo(parts_.abandon);
    if (!runner_.CancelWaiting()) return std::nullopt;
    const auto place = static_cast<std::int64_t>(parts_.ledger.position());
    for (std::int64_t round = 0;; ++round) {
      const auto block = runner_.Run(
          {{BlockPhase::kCheck, place, round}, parts_.baseline, parts_.baseline, kCheckPairs});
      if (!block || block->is_interrupted) return std::nullopt;
      if (auto runs = CheckRuns(*block); !runs) {
        return Death{runs.error().message, block->evidence};
      }
      if (!runner_.was_kept()) return std::nullopt;  // Else it ran then: what of now?
    }
  }

  Result<PairBlock> RunGate() {
    runner_.ListenTo(parts_.abandon);
    stage_.Enter(Phase::kGate, spec_.gate_pairs);
    auto block =
        runner_.Run({{BlockPhase::kGate}, parts_.baseline, parts_.baseline, spec_.gate_pairs});
    if (block && block->is_interrupted) return Abandoned();
    return block;
  }

  // Whether the baseline runs, and measures what the rule asks for.
  Result<void> CheckRuns(const PairBlock& block) const {
    if (block.outcome != Outcome::kAccepted) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{} ({})", block.reason, NameOf(block.outcome))};
    }
    const auto numbers = NumbersOf(spec_.rule, block.pairs);
    if (!numbers) return numbers.error();
    return {};
  }

  bool HasBudget() const { return spec_.max_time.count() > 0; }
  std::int64_t PairsLeftNow() const { return PairsLeft(spec_, pair_time_, runner_.measured()); }

  // Takes from the gate what a pair takes, and divides the time by that.
  void DivideTime(const PairBlock& block) {
    pair_time_ = block.duration / spec_.gate_pairs;
    if (!HasBudget()) return;
    const TimePlan plan = PlanTime(spec_, pair_time_);
    stage_.search_end = plan.search_end;
    spec_.proof.max_pairs = FitProof(spec_, PairsLeftNow() - plan.search_pairs).max_pairs;
  }

  // The rewards of the A/A pairs.
  Result<std::vector<double>> PassGate(const PairBlock& block) {
    const auto numbers = NumbersOf(spec_.rule, block.pairs);
    if (!numbers) return numbers.error();
    for (const std::string& warning : WarningsOfLimits(spec_.rule, *numbers)) {
      notes_.push_back("In the gate, " + warning + ".");
    }
    DivideTime(block);
    auto report = JudgeGate(spec_, CountParameters(), block.pairs);
    if (!report) return report.error();
    report->pair_time = pair_time_;
    if (HasBudget()) {
      report->planned_runs = std::min(report->planned_runs, 2 * PlanTime(spec_, pair_time_).pairs);
    }
    if (auto recorded = parts_.ledger.Record(ToDecision(*report)); !recorded) {
      return recorded.error();
    }
    stage_.run_time = report->run_time;
    stage_.planned_runs = report->planned_runs;
    stage_.Report(spec_.gate_pairs);
    return numbers->rewards;
  }

  Result<Verdict> Compare(std::vector<double> gate_rewards) {
    runner_.ListenTo(parts_.wrap_up);
    noise_ = SearchBook(spec_.rule, std::move(gate_rewards)).Noise();
    auto verdict = RunComparison(stage_, noise_);
    if (!verdict) return verdict.error();
    if (verdict->proof) {
      if (auto alive = CheckAlive(*verdict->proof); !alive) return alive.error();
    }
    if (parts_.abandon.stop_requested()) return Abandoned();
    return Conclude(std::move(*verdict));
  }

  std::int64_t CountParameters() const {
    return static_cast<std::int64_t>(parts_.space.parameters().size());
  }

  Result<void> NoteSensitivity(const Search& search) {
    const double p = search.book().SensitivityP();
    const bool is_moved = p <= kInsensitiveP;
    if (!is_moved && tally_.finished > 0) {
      insensitivity_ = InsensitivityText(spec_.rule, {.p_value = p,
                                                      .rewards = search.book().Rewards(),
                                                      .min_gain = spec_.proof.min_gain,
                                                      .is_enough = tally_.is_enough});
    }
    return parts_.ledger.Record(
        ToDecision(SensitivityDecision{.is_moved = is_moved, .p_value = p}));
  }

  // Known for campaigns like those that were simulated.
  std::optional<FindableOptimum> Findable() const {
    if (parts_.has_prices || !IsLikeSimulated(spec_)) return std::nullopt;
    const std::int64_t trials = tally_.cut_short_by.empty() ? tally_.planned : tally_.finished;
    return OptimumFound({.trials = trials, .parameters = CountParameters(), .noise = noise_});
  }

  Result<Verdict> ProveWinner(const std::vector<Recommendation>& finalists) {
    Verdict verdict;
    verdict.detectable =
        MinimumDetectableEffect(noise_, spec_.proof.max_pairs, 1 - spec_.proof.confidence, 0.8);
    if (finalists.empty() || !IsWorthProving(finalists.front().reward)) {
      ConcludeUnproven(tally_, spec_.rule, verdict);
      return verdict;
    }
    if (HasBudget()) spec_.proof = FitProof(spec_, PairsLeftNow());
    const Recommendation& winner = finalists.front();
    const std::int64_t pairs = ProofPairs(spec_.proof, winner.reward.mean, noise_);
    verdict.detectable = MinimumDetectableEffect(noise_, pairs, 1 - spec_.proof.confidence, 0.8);
    auto proof = ProveAs(BlockPhase::kProof, winner.candidate, pairs);
    if (!proof) return proof.error();
    verdict.proof = *proof;
    if (!proof->is_gain) {
      ConcludeUnshown(tally_, WhyNoGain(*proof), verdict);
      return verdict;
    }
    verdict.kind = Verdict::Kind::kGain;
    verdict.reason = "The winner beat the baseline on fresh runs.";
    if (!spec_.proof.has_ablation || winner.candidate.assignment.empty()) return verdict;
    proven_ = Proven{verdict, "What each change is worth was not found out"};
    return Reduce(std::move(verdict), pairs);
  }

  // What is believed to lie surely below the least gain of interest is not worth the runs.
  bool IsWorthProving(const Estimate& belief) const {
    return belief.mean + 2 * belief.standard_error >= spec_.proof.min_gain;
  }

  Result<Proof> ProveAs(BlockPhase phase, const Candidate& candidate, std::int64_t pairs) {
    if (auto recorded = parts_.ledger.Record(
            ToDecision(ProveDecision{.phase = phase, .candidate = candidate, .pairs = pairs}));
        !recorded) {
      return recorded.error();
    }
    stage_.Enter(Phase::kProof, pairs);
    return ProveOrDie({phase}, candidate, pairs, spec_.proof);
  }

  // Where the candidate fails, the benchmark may have died under it.
  Result<void> CheckAlive(const Proof& proof) {
    if (proof.failure.empty()) return {};
    death_ = AskBaseline();
    if (death_) return Error{Errc::kUnavailable, death_->why};
    if (parts_.abandon.stop_requested()) return Abandoned();
    return {};
  }

  Result<Proof> ProveOrDie(const BlockId& id, const Candidate& candidate, std::int64_t pairs,
                           const ProofSettings& settings) {
    auto proof = Prove(stage_, id, candidate, pairs, settings);
    if (!proof) return proof;
    if (auto alive = CheckAlive(*proof); !alive) return alive.error();
    return proof;
  }

  // The smallest change that gives the gain, proven on runs of its own.
  Result<Verdict> Reduce(Verdict verdict, std::int64_t pairs) {
    if (HasBudget()) {
      const auto changes = ChangedParameters(parts_.baseline, verdict.proof->candidate);
      spec_.proof = FitAblation(spec_, PairsLeftNow(), std::ssize(changes), pairs);
      if (!spec_.proof.has_ablation) {
        verdict.notes.emplace_back("No time was left to find out what each change is worth.");
        return verdict;
      }
    }
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
    if (HasBudget()) spec_.proof = FitProof(spec_, PairsLeftNow());
    const ProofSettings& settings = spec_.proof;
    if (finalists.empty()) {
      ConcludeUnproven(tally_, spec_.rule, verdict);
      return verdict;
    }
    const double confidence = 1 - (1 - settings.confidence) / static_cast<double>(finalists.size());
    const std::int64_t pairs = FrontPairs(settings);
    verdict.detectable = DetectableInFront(spec_, std::ssize(finalists), objective_noise_);
    std::vector<double> p_values;
    for (std::size_t i = 0; i < finalists.size(); ++i) {
      const BlockId id{BlockPhase::kFront, static_cast<std::int64_t>(i)};
      stage_.Enter(Phase::kProof, pairs);
      ProofSettings one = settings;
      one.confidence = confidence;
      one.over = {};  // A front has many.
      auto proof = ProveOrDie(id, finalists[i].candidate, pairs, one);
      if (!proof) {
        KeepFront(std::move(verdict), std::move(p_values), finalists.size() - i);
        return proof.error();
      }
      if (!proof->failure.empty()) continue;
      verdict.front.push_back(std::move(*proof));
      p_values.push_back(BestObjectiveP(verdict.front.back()));
    }
    return JudgeFront(std::move(verdict), p_values);
  }

  // What is proven when `left` points still are not; they count as if they were no better.
  void KeepFront(Verdict verdict, std::vector<double> p_values, std::size_t left) {
    p_values.resize(p_values.size() + left, 1);
    Verdict judged = JudgeFront(std::move(verdict), p_values);
    if (!HasGain(judged)) return;
    proven_ =
        Proven{std::move(judged), fmt::format("{} of the front {} not proven",
                                              CountText(static_cast<std::int64_t>(left), "point"),
                                              left == 1 ? "was" : "were")};
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

  Verdict JudgeFront(Verdict verdict, const std::vector<double>& p_values) const {
    const auto adjusted = AdjustByHolm(p_values);
    bool has_gain = false;
    for (std::size_t i = 0; i < verdict.front.size(); ++i) {
      Proof& proof = verdict.front[i];
      proof.adjusted_p = adjusted[i];
      proof.is_gain = KeepsLimits(proof) && adjusted[i] <= 1 - spec_.proof.confidence;
      has_gain = has_gain || proof.is_gain;
    }
    const std::string why_none = WhyNoPoint(verdict.front, spec_.proof.confidence);
    if (const std::int64_t left = DropDominated(verdict.front); left > 0) {
      verdict.notes.push_back(DominatedNote(left));
    }
    if (!has_gain) {
      ConcludeUnshown(tally_, why_none, verdict);
      return verdict;
    }
    verdict.kind = Verdict::Kind::kFront;
    verdict.reason = "These points beat the baseline in at least one objective.";
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
    // Where nothing matters, one proof in forty is so.
    if (proof.reward.interval.high < 0) {
      return "On fresh runs the winner came out below the baseline.";
    }
    return "On fresh runs the winner could not be told from the baseline.";
  }

  // There is nothing to tune, now or later.
  Result<Verdict> ConcludeDead(Death death) {
    Verdict verdict;
    verdict.kind = Verdict::Kind::kDoesNotRun;
    verdict.reason =
        spec_.comparison
            ? fmt::format("With {}, {}. Make it run, then compare.", spec_.comparison->a, death.why)
            : fmt::format("With nothing changed, {}. Make it run, then tune it.", death.why);
    verdict.output = std::move(death.output);
    verdict.notes = notes_;
    if (auto recorded = parts_.ledger.Record(ToDecision(verdict)); !recorded) {
      return recorded.error();
    }
    return verdict;
  }

  // It ran in the gate, and does so no more. What is proven by then stands.
  Result<Verdict> ConcludeStopped(Death death) {
    if (!proven_) {
      notes_.emplace_back(
          "It ran in the gate, and stopped running later; another campaign can begin with what was "
          "measured until then (--warm-start).");
      return ConcludeDead(std::move(death));
    }
    Verdict verdict = std::move(proven_->verdict);
    verdict.output = std::move(death.output);
    verdict.notes.push_back(
        fmt::format("{}, since the benchmark stopped running: with nothing changed, {}.",
                    proven_->missing, death.why));
    return Conclude(std::move(verdict));
  }

  Result<Verdict> ConcludeTooShort() {
    Verdict verdict;
    verdict.kind = Verdict::Kind::kNotEnough;
    verdict.reason = fmt::format("The time of {} is {}.", DurationText(spec_.max_time),
                                 DivisionText(spec_, pair_time_));
    return Conclude(std::move(verdict));
  }

  // A proof whose first runs fail has none.
  static bool TellsLimits(const Verdict& verdict) {
    const auto has_limits = [](const Proof& proof) { return !proof.limits.empty(); };
    return (verdict.proof && has_limits(*verdict.proof)) ||
           std::ranges::any_of(verdict.front, has_limits);
  }

  Result<Verdict> Conclude(Verdict verdict) {
    verdict.suspicions = runner_.suspicions().GraveTexts();
    if (HasGain(verdict) && !verdict.suspicions.empty()) {
      verdict.kind = Verdict::Kind::kSuspicious;
      verdict.reason += " But its numbers may not be measured.";
    }
    const bool is_told = verdict.kind == Verdict::Kind::kNotEnough;
    if (!tally_.cut_short_by.empty() && !is_told) verdict.notes.push_back(CutShortText(tally_));
    verdict.notes.insert(verdict.notes.end(), notes_.begin(), notes_.end());
    // Where the winner was shown to be better, something was moved after all.
    if (!insensitivity_.empty() && !HasGain(verdict)) verdict.notes.push_back(insensitivity_);
    if (verdict.proof && !verdict.proof->moved.empty()) {
      verdict.notes.push_back(verdict.proof->moved);
    }
    if (verdict.kind == Verdict::Kind::kNoGain && !spec_.comparison) {
      if (const auto findable = Findable()) {
        verdict.notes.push_back(FindableText(spec_.rule, *findable));
      }
    }
    const std::string limits = TellsLimits(verdict) ? "" : LimitsNote(tally_, spec_.rule);
    if (!limits.empty()) verdict.notes.push_back(limits);
    if (auto recorded = parts_.ledger.Record(ToDecision(verdict)); !recorded) {
      return recorded.error();
    }
    return verdict;
  }

  const CampaignParts& parts_;
  CampaignSpec spec_;  // With what the time allows, which is known after the gate.
  PairRunner runner_;
  Stage stage_;
  double noise_ = 0;            // Of a pair's reward,
  double objective_noise_ = 0;  // and of the noisiest objective.
  std::chrono::microseconds pair_time_{0};
  SearchTally tally_;
  std::optional<Proven> proven_;
  std::optional<Death> death_;
  std::string insensitivity_;  // That nothing was seen to move the metric; else empty.
  std::vector<std::string> notes_;
};

}  // namespace

Result<Verdict> RunCampaign(const CampaignParts& parts) {
  if (auto valid = Validate(parts.spec); !valid) return valid.error();
  return Campaign(parts).Run();
}

}  // namespace hone::tune
