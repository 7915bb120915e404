// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/workflows/kernelbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "hone/domains/compute/judge/cheating.h"
#include "hone/domains/compute/judge/correctness.h"
#include "hone/domains/compute/judge/machine_pulse.h"
#include "hone/domains/compute/problem/input_data.h"
#include "hone/domains/compute/runner/pinned_thread.h"
#include "hone/domains/compute/runner/wakeful.h"
#include "hone/domains/compute/workflows/candidate_run.h"
#include "hone/domains/compute/workflows/references.h"
#include "hone/measure/distributions.h"

namespace hone::compute {
namespace {

using Step = Result<MaybeFinding>;
using VariantTolerances = std::vector<std::vector<Tolerance>>;  // Of the shape that is timed.

constexpr std::size_t kMaxBytesAhead = 32 << 20;
constexpr int kMaxTwins = 12;  // In one evaluation.
constexpr int kMaxTwinBudgets = 6;
constexpr double kRecordBy = 1.05;  // Less may be luck, and a sanitizer takes seconds.

class Kernelbench final : public Session {
 public:
  explicit Kernelbench(std::shared_ptr<const WorkflowContext> context)
      : builds_(std::move(context)) {}

  Result<RunResult> Prepare(const Candidate& candidate, const std::stop_token& stop) override {
    auto prepared = builds_.OfCandidate(candidate, stop);
    if (!prepared) return prepared.error();
    if (prepared->result.outcome != Outcome::kAccepted) return std::move(prepared->result);
    if (const auto built = References::Prepare(builds_, stop); !built) {
      if (built.error().code != Errc::kInvalidArgument) return built.error();
      return RunResult{
          Outcome::kRejected, built.error().message, {}, {{"problem", built.error().message}}};
    }
    return std::move(prepared->result);
  }

  Result<RunResult> Run(const RunOrder& order) override {
    CandidateRun run(builds_, order);
    return run.Settle(Judge(run, order));
  }

 private:
  Result<RunResult> Judge(CandidateRun& run, const RunOrder& order) {
    const CpuPlan plan = PlanCpus(order.cpus, context_.problem.policy.threads);
    return context_.backend->Facts().has_device ? JudgeInTurn(run, order, plan)
                                                : JudgeHere(run, order, plan);
  }

  Result<RunResult> JudgeHere(CandidateRun& run, const RunOrder& order, const CpuPlan& plan) {
    run.phases().BeginBeside("reference");
    const auto turn = context_.backend->TakeTurn();
    const auto still = context_.backend->KeepStill();
    auto references = References::Open(builds_, plan.runners, order.stop);
    if (!references) return references.error();
    return JudgeBeside(*references, run, order, plan, {});
  }

  // On a device, of which one evaluation has the use at a time: what needs only the reference is
  // done before, beside others.
  Result<RunResult> JudgeInTurn(CandidateRun& run, const RunOrder& order, const CpuPlan& plan) {
    run.phases().BeginBeside("waiting");
    auto shared = context_.backend->ShareTurn(order.stop);
    run.phases().BeginBeside("reference");
    const std::vector<int>& cpus = plan.rest.empty() ? plan.runners : plan.rest;
    auto references = References::Open(builds_, cpus, order.stop);
    if (!references) return references.error();
    auto ahead = MakeTrialsAhead(*references, run.rng(), run);
    if (!ahead) return ahead.error();
    shared.reset();
    run.phases().BeginBeside("waiting");
    const auto turn = context_.backend->TakeTurn();
    references->Pin(plan.runners);
    return JudgeBeside(*references, run, order, plan, *std::move(ahead));
  }

  // `ahead`: the first trials, if they are there already.
  Result<RunResult> JudgeBeside(References& references, CandidateRun& run, const RunOrder& order,
                                const CpuPlan& plan, std::vector<SharedTrial> ahead) {
    const Rng& rng = run.rng();
    run.phases().BeginBeside("reference");
    const PinnedThread pinned(plan.judge);  // It spins, and must not where the runners run.
    const WakefulProcessors wakeful(plan.runners);
    if (ahead.empty()) {
      auto made = MakeTrialsAhead(references, rng, run);
      if (!made) return made.error();
      ahead = *std::move(made);
    }
    if (ahead.empty()) return run.TimedOut();
    Degeneration degeneration;
    VariantTolerances tolerances(VariantsOf(context_.problem));
    const auto see = [&](std::size_t i, const SharedTrial& trial) {
      degeneration.See(trial);
      if (i < tolerances.size()) tolerances[i] = ForTiming(trial->tolerances);
    };
    for (std::size_t i = 0; i < ahead.size(); ++i) {
      see(i, ahead[i]);
      run.SeeReferenceCall(ahead[i]->reference_time);
    }
    // Of distributions whose trial is made later nothing is known yet: equals go without them.
    VariantTolerances known = tolerances;
    known.resize(std::min(known.size(), ahead.size()));
    if (auto compared = CompareTwins(run, plan, references, ahead, std::move(known)); !compared) {
      return compared.error();
    }
    if (run.IsOver()) return run.TimedOut();
    run.phases().Begin("load");
    auto loaded = run.Load(plan);
    if (!loaded) return loaded.error();
    if (*loaded) return run.Fail(**loaded);
    run.phases().Begin("correctness");
    const Trials trials(TrialsHere(), [&](std::size_t i) {
      if (run.IsOver()) return Result<SharedTrial>(nullptr);
      if (i < ahead.size()) return Result<SharedTrial>(ahead[i]);
      auto trial = MakeTrial(references, rng, i, run);
      run.phases().Begin("correctness");
      if (trial) see(i, *trial);
      return trial;
    });
    auto wrong = CheckCorrect(run, order, trials, rng.Split("correctness").Next());
    if (!wrong) return wrong.error();
    if (*wrong) return run.Fail(**wrong);
    if (run.IsOver()) return run.TimedOut();
    if (const std::string fault = degeneration.Text(); !fault.empty()) run.Note("problem", fault);
    if (context_.settings.samples == 0) return run.AcceptUntimed(ahead);
    return Measure(run, plan, references, ahead, std::move(tolerances));
  }

  std::size_t TrialsHere() const { return TrialsOf(context_.problem, context_.settings.trials); }

  // The first ones, as far as they take little memory. The others are made one by one.
  Result<std::vector<SharedTrial>> MakeTrialsAhead(References& references, const Rng& rng,
                                                   CandidateRun& run) {
    std::vector<SharedTrial> ahead;
    const std::size_t count = TrialsHere();
    for (std::size_t bytes = 0; ahead.size() < count && bytes < kMaxBytesAhead && !run.IsOver();) {
      auto trial = MakeTrial(references, rng, ahead.size(), run);
      if (!trial) return trial.error();
      bytes += BytesOf(**trial);
      ahead.push_back(std::move(*trial));
    }
    return ahead;
  }

  // The reference errs too, and on other inputs.
  static std::vector<Tolerance> ForTiming(std::vector<Tolerance> tolerances) {
    for (Tolerance& tolerance : tolerances) {
      tolerance = {2 * tolerance.rtol, 4 * tolerance.atol};
    }
    return tolerances;
  }

  Result<SharedTrial> MakeTrial(References& references, const Rng& rng, std::size_t number,
                                CandidateRun& run) {
    run.phases().BeginBeside("reference");
    const TrialPlan plan = PlanOfTrial(context_.problem, number);
    return references.MakeTrial(plan.shape, plan.variant, rng.Split("trials").Split(number).Next(),
                                run.LeftBeside());
  }

  Step CheckCorrect(CandidateRun& run, const RunOrder& order, const Trials& trials,
                    std::uint64_t secret) {
    CorrectnessOrder check{context_.problem, trials, secret, run.CallTimeout(), order.stop};
    auto report = CheckCorrectness(run.runner(), check);
    if (!report) return report.error();
    run.Attach("correctness", report->ToJson());
    return std::move(report->finding);
  }

  TimingOrder OrderMeasuring(CandidateRun& run, const CpuPlan& plan, References& references,
                             const TimedCase& first, VariantTolerances tolerances) {
    TimingOrder timing = run.OrderTiming(first.sizes, plan);
    timing.wanted = first.declared;
    timing.tolerances = std::move(tolerances);
    timing.draw = [this, &run, &references, sizes = first.sizes](std::size_t variant,
                                                                 Rng& rng) -> Result<Tensors> {
      if (context_.problem.input_source == InputSource::kJudge) {
        return DrawInputs(context_.problem, sizes, variant, Rng(rng.Next()));
      }
      return references.MakeInputs(rng.Next(), run.LeftBeside());
    };
    if (context_.backend->Facts().has_device) timing.aside = plan.rest;
    if (plan.judge < 0) timing.shared = plan.runners;
    return timing;
  }

  Result<RunResult> Measure(CandidateRun& run, const CpuPlan& plan, References& references,
                            const std::vector<SharedTrial>& trials, VariantTolerances tolerances) {
    TimingOrder timing =
        OrderMeasuring(run, plan, references, *trials.front(), std::move(tolerances));
    const std::string level_key = LevelKey(references);
    run.phases().BeginBeside("reference");
    if (auto exercised = references.Exercise(trials, run.LeftBeside()); !exercised) {
      return exercised.error();
    }
    auto other = TakeOtherIfDue(run, references, trials, level_key);
    if (!other) return other.error();
    run.phases().Begin("timing");
    auto still = context_.backend->KeepStill();
    if (auto alone = run.AwaitAlone(); !alone) return alone.error();
    timing.quiet_level = context_.shared->QuietNs(level_key);
    auto times = MeasureTimes(run.runner(), references.declared(), timing);
    if (!times) {
      references.Spoil();  // As where a device was lost: what was on it is of no use.
      return times.error();
    }
    MaybeFinding at_end;
    if (*other && !times->finding && !run.IsOver()) {
      run.phases().BeginBeside("twins");
      at_end = run.End();  // While equals are compared, no candidate lives that could disturb them.
      if (auto compared = CompareWithOther(references, *std::move(other), timing, level_key);
          !compared) {
        return compared.error();
      }
    }
    times->Widen(context_.shared->TwinReach(level_key));
    run.Attach("times", times->ToJson());
    run.NoteDevice();
    run.NoteMachine(*times);
    if (times->finding) return run.Fail(*times->finding);
    if (times->ended_by == "limit" || times->ended_by == "stopped") return run.TimedOut();
    if (times->candidate.times.empty() || times->ended_by == "unsealed") return run.NotTimed();
    if (auto cheat = FindCheat(run, timing.sizes, *times)) return run.Fail(*cheat);
    if (at_end) return run.Fail(*at_end);
    still.reset();
    const bool is_record =
        times->speedup_interval.low > kRecordBy * context_.shared->Record(level_key);
    auto fault = run.Sanitize(trials, is_record);
    if (!fault) return fault.error();
    if (*fault) return run.Fail(**fault);
    if (is_record) context_.shared->KeepRecord(level_key, times->speedup);
    // Only now: who cheats may have made the reference look faster than it is, or slower.
    context_.shared->SeeQuiet(level_key, times->quiet);
    SeePulses(times->pulse_quiet);
    return run.Accept({{"time", ReadingOf(times->candidate)},
                       {"reference_time", ReadingOf(times->reference)},
                       {"speedup", SpeedupOf(*times)}});
  }

  // What is known of this reference on this machine goes by it.
  std::string LevelKey(const References& references) const {
    return fmt::format("{} {}", static_cast<int>(context_.settings.cache), references.key());
  }

  // Fresh processes of the reference against each other, where that is due; before a candidate
  // lives that could disturb them, and so keep what equals differ by unknown.
  Result<void> CompareTwins(CandidateRun& run, const CpuPlan& plan, References& references,
                            const std::vector<SharedTrial>& trials, VariantTolerances tolerances) {
    if (!references.loads_fast() || context_.settings.samples == 0) return {};
    run.phases().BeginBeside("twins");
    const std::string key = LevelKey(references);
    TimingOrder timing =
        OrderMeasuring(run, plan, references, *trials.front(), std::move(tolerances));
    timing.call_timeout = timing.reference_timeout;
    timing.seals = false;  // Nobody's gain.
    // It is only useful: a run that may take little waits for little.
    timing.deadline = SystemClock().Now() + std::min(run.Left(), run.LeftBeside() / 2);
    const auto end = SystemClock().Now() + kMaxTwinBudgets * timing.budget;
    timing.budget /= 2;
    for (int left = context_.shared->TwinsDue(key, kMaxTwins); left > 0 && !run.IsOver(); --left) {
      // Of slow kernels, as many as there is time for.
      if (!run.HasRoomBeside() || SystemClock().Now() > end) break;
      auto one = references.StartTwin(trials, run.LeftBeside());
      if (!one) return one.error();
      auto other = references.StartTwin(trials, run.LeftBeside());
      if (!other) return other.error();
      if (auto compared = CompareTwo(**one, **other, timing, key); !compared) return compared;
    }
    return {};
  }

  // The same where a process takes seconds to load: one other process of the reference, now and
  // then. Null if it is not due.
  Result<std::unique_ptr<Runner>> TakeOtherIfDue(CandidateRun& run, References& references,
                                                 const std::vector<SharedTrial>& trials,
                                                 const std::string& key) {
    if (references.loads_fast() || context_.shared->TwinsDue(key, 1) == 0) return nullptr;
    run.phases().BeginBeside("twins");
    return references.TakeOther(trials, run.LeftBeside());
  }

  Result<void> CompareWithOther(References& references, std::unique_ptr<Runner> other,
                                TimingOrder timing, const std::string& key) {
    timing.budget /= 2;
    timing.call_timeout = timing.reference_timeout;
    timing.seals = false;
    auto compared = CompareTwo(references.declared(), *other, timing, key);
    if (!compared) return compared;
    references.GiveOther(std::move(other));
    return {};
  }

  Result<void> CompareTwo(Runner& one, Runner& other, const TimingOrder& timing,
                          const std::string& key) {
    const auto times = MeasureTimes(one, other, timing);
    if (!times) return times.error();
    if (!times->finding && times->speedup_interval.IsBounded()) {
      context_.shared->KeepTwins(key, std::log(times->speedup));
    }
    return {};
  }

  MaybeFinding FindCheat(CandidateRun& run, const Sizes& sizes, const TimingReport& times) {
    run.phases().Begin("cheating");
    if (auto found = run.CheckFloor(sizes, times)) return found;
    if (auto found = CheckClocks(times)) return found;
    if (auto found = CheckWatch(times)) return found;
    if (auto found = CheckUnseen(times)) return found;
    return run.End();
  }

  static Reading SpeedupOf(const TimingReport& times) {
    const Interval& interval = times.speedup_interval;
    const double spread =
        interval.IsBounded() ? (interval.high - interval.low) / (2 * kErrorsOf95) : times.speedup;
    return {times.speedup, spread, times.candidate.counted};
  }

  SessionBuilds builds_;
  const WorkflowContext& context_ = builds_.context();
};

}  // namespace

WorkflowEntry KernelbenchEntry() {
  return {{{"time", "ms", Direction::kLowerIsBetter, "Median time of one call of the kernel."},
           {"reference_time", "ms", Direction::kLowerIsBetter,
            "Median time of one call of the reference, measured in turn with the kernel."},
           {"speedup", "1", Direction::kHigherIsBetter,
            "How many times faster than the reference, from the pairs of calls."}},
          [](std::shared_ptr<const WorkflowContext> context) {
            return std::make_unique<Kernelbench>(std::move(context));
          }};
}

}  // namespace hone::compute
