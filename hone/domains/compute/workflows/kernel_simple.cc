// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/workflows/kernel_simple.h"

#include <memory>
#include <utility>

#include "hone/domains/compute/judge/cheating.h"
#include "hone/domains/compute/judge/correctness.h"
#include "hone/domains/compute/judge/first_sight.h"
#include "hone/domains/compute/judge/machine_pulse.h"
#include "hone/domains/compute/runner/pinned_thread.h"
#include "hone/domains/compute/runner/wakeful.h"
#include "hone/domains/compute/workflows/candidate_run.h"
#include "hone/domains/compute/workflows/made_cases.h"

namespace hone::compute {
namespace {

constexpr std::int64_t kMinSights = 6;      // Each is a process,
constexpr std::int64_t kMinSlowSights = 4;  // which may take seconds to load.

std::vector<SharedTrial> TrialsOf(const Problem& problem) {
  std::vector<SharedTrial> trials;
  for (const FixedCase& one : problem.cases) {
    auto trial = std::make_shared<TimedCase>();
    trial->name = one.name;
    trial->sizes = one.sizes;
    trial->inputs = one.inputs;
    trial->expected = one.outputs;
    for (const Tensor& output : one.outputs) {
      trial->tolerances.push_back(CaseTolerance(problem, one.rtol, one.atol, output.spec.dtype));
      trial->declared.push_back(output.spec);
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

class KernelSimple final : public Session {
 public:
  explicit KernelSimple(std::shared_ptr<const WorkflowContext> context)
      : builds_(std::move(context)) {}

  Result<RunResult> Prepare(const Candidate& candidate, const std::stop_token& stop) override {
    auto prepared = builds_.OfCandidate(candidate, stop);
    if (!prepared) return prepared.error();
    return std::move(prepared->result);
  }

  Result<RunResult> Run(const RunOrder& order) override {
    CandidateRun run(builds_, order);
    return run.Settle(Judge(run, order));
  }

 private:
  Result<RunResult> Judge(CandidateRun& run, const RunOrder& order) {
    const CpuPlan plan = PlanCpus(order.cpus, context_.problem.policy.threads);
    run.phases().BeginBeside("waiting");
    const auto turn = context_.backend->TakeTurn();
    run.phases().Begin("load");
    auto loaded = run.Load(plan);
    if (!loaded) return loaded.error();
    if (*loaded) return run.Fail(**loaded);
    if (auto made = MakeMissingCases(run, order); !made) return made.error();
    const PinnedThread pinned(plan.judge);  // It spins, and must not where the runners run.
    const WakefulProcessors wakeful(plan.runners);
    run.phases().Begin("correctness");
    CorrectnessOrder check{context_.problem, trials_, run.rng().Split("correctness").Next(),
                           run.CallTimeout(), order.stop};
    auto report = CheckCorrectness(run.runner(), check);
    if (!report) return report.error();
    run.Attach("correctness", report->ToJson());
    if (report->finding) return run.Fail(*report->finding);
    if (const std::string fault = DegenerationOf(trials_); !fault.empty()) {
      run.Note("problem", fault);
    }
    if (context_.settings.samples == 0) return run.AcceptUntimed(trials_);
    return Measure(run, plan);
  }

  // Where they do not stand in the problem, its own code makes them, once a session.
  Result<void> MakeMissingCases(CandidateRun& run, const RunOrder& order) {
    if (!trials_.empty()) return {};
    run.phases().BeginBeside("reference");
    auto made = MakeCases(builds_, run.LeftBeside(), order.stop);
    if (!made) return made.error();
    trials_ = std::move(*made);
    return {};
  }

  Result<RunResult> Measure(CandidateRun& run, const CpuPlan& plan) {
    run.phases().Begin("timing");
    auto empty = run.LoadNothing(plan);
    // It has seen every case, and could tell those that are to see one for the first time.
    if (auto cheat = run.End()) return run.Fail(*cheat);
    if (!empty) return empty.error();
    if (empty->fault) return Error{Errc::kUnavailable, "runner: " + empty->fault->reason};
    const TimedCase& timed = *trials_.front();
    FirstSightOrder order{run.OrderTiming(timed.sizes, plan), timed,
                          [&] { return run.LoadAgain(plan); }};
    order.keep_still = [&] { return context_.backend->KeepStill(); };
    order.timing.min_samples = context_.backend->Facts().loads_fast ? kMinSights : kMinSlowSights;
    auto times = MeasureFirstSights(*empty->runner, order);
    if (!times) return times.error();
    run.Attach("times", times->ToJson());
    run.NoteMachine(*times);
    if (times->finding) return run.Fail(*times->finding);
    if (times->ended_by == "limit" || times->ended_by == "stopped") return run.TimedOut();
    run.phases().Begin("cheating");
    if (auto cheat = run.CheckFloor(timed.sizes, *times)) return run.Fail(*cheat);
    auto fault = run.Sanitize(trials_, false);
    if (!fault) return fault.error();
    if (*fault) return run.Fail(**fault);
    SeePulses(times->pulse_quiet);
    return run.Accept({{"time", ReadingOf(times->candidate)}});
  }

  SessionBuilds builds_;
  const WorkflowContext& context_ = builds_.context();
  std::vector<SharedTrial> trials_ = TrialsOf(context_.problem);
};

}  // namespace

WorkflowEntry KernelSimpleEntry() {
  return {{{"time", "ms", Direction::kLowerIsBetter, "Median time of one call of the kernel."}},
          [](std::shared_ptr<const WorkflowContext> context) {
            return std::make_unique<KernelSimple>(std::move(context));
          }};
}

}  // namespace hone::compute
