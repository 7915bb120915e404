// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/workflows/candidate_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "hone/base/clock.h"
#include "hone/base/fresh_number.h"
#include "hone/base/host.h"
#include "hone/base/json/evidence_json.h"
#include "hone/domains/compute/judge/cheating.h"
#include "hone/domains/compute/judge/correctness.h"
#include "hone/domains/compute/judge/feedback.h"
#include "hone/domains/compute/judge/machine_pulse.h"
#include "hone/domains/compute/runner/pulse.h"
#include "hone/domains/compute/workflows/arena.h"

namespace hone::compute {
namespace {

constexpr std::int64_t kMoreOnDevices = 4;
constexpr std::int64_t kMoreOfShort = 6;
constexpr std::uint64_t kFewerFullOnDevices = 4;
constexpr double kFinestOnDevicesNs = 100;  // Nobody sleeps there: only launches vary.
constexpr int kTimesReference = 20;
constexpr std::size_t kMaxSanitizedBytes = 4 << 20;  // Its tools are slow.
constexpr std::chrono::seconds kMaxSanitizing{20};   // All others wait for the GPU.

// The largest that is not too large, and the smallest: kernels err at their edges.
std::vector<const TimedCase*> SanitizedCalls(const std::vector<SharedTrial>& trials) {
  const TimedCase* largest = nullptr;
  const TimedCase* smallest = nullptr;
  for (const SharedTrial& trial : trials) {
    const std::size_t bytes = BytesOf(*trial);
    if (smallest == nullptr || bytes < BytesOf(*smallest)) smallest = trial.get();
    if (bytes > kMaxSanitizedBytes) continue;
    if (largest == nullptr || bytes > BytesOf(*largest)) largest = trial.get();
  }
  std::vector<const TimedCase*> calls;
  if (smallest != nullptr) calls.push_back(smallest);
  if (largest != nullptr && largest != smallest) calls.push_back(largest);
  return calls;
}

// A seed comes from whoever asked, who may have written the kernel too.
Rng RngOf(const JudgeSettings& settings, const RunOrder& order) {
  if (!settings.are_inputs_seeded) return Rng(FreshNumber());
  return Rng(order.seed).Split("compute").Split(static_cast<std::uint64_t>(order.position));
}

}  // namespace

CpuPlan PlanCpus(const std::vector<int>& given, int threads) {
  const std::vector<int> cpus = given.empty() ? AllowedCpus() : given;
  CpuPlan plan;
  const auto wanted = static_cast<std::size_t>(threads);
  // The last ones to the runners: the first is where interrupts tend to go.
  for (std::size_t i = cpus.size(); i-- > 0 && plan.runners.size() < wanted;) {
    plan.runners.push_back(cpus[i]);
  }
  for (const int cpu : cpus) {
    if (std::ranges::find(plan.runners, cpu) != plan.runners.end()) continue;
    if (plan.judge < 0) {
      plan.judge = cpu;
    } else {
      plan.rest.push_back(cpu);
    }
  }
  if (plan.judge < 0 && !given.empty()) {
    for (const int cpu : AllowedCpus()) {
      if (std::ranges::find(given, cpu) == given.end()) plan.judge = cpu;
    }
  }
  return plan;
}

CandidateRun::CandidateRun(SessionBuilds& builds, const RunOrder& order)
    : builds_(builds),
      context_(builds.context()),
      order_(order),
      rng_(RngOf(context_.settings, order)),
      began_(std::chrono::steady_clock::now()),
      started_(SystemClock().Wall()) {}

std::chrono::nanoseconds CandidateRun::Left() const {
  const auto end = began_ + order_.limit + phases_.BesidesCandidate();
  return std::max<std::chrono::nanoseconds>(std::chrono::nanoseconds{0},
                                            end - std::chrono::steady_clock::now());
}

bool CandidateRun::IsOver() const {
  return order_.stop.stop_requested() || Left() == std::chrono::nanoseconds{0} ||
         LeftBeside() == std::chrono::nanoseconds{0};
}

std::chrono::milliseconds CandidateRun::LimitBeside() const {
  return std::max<std::chrono::milliseconds>(order_.limit, context_.settings.min_limit_beside);
}

std::chrono::nanoseconds CandidateRun::LeftBeside() const {
  return std::max<std::chrono::nanoseconds>(std::chrono::nanoseconds{0},
                                            LimitBeside() - phases_.BesidesCandidate());
}

std::chrono::nanoseconds CandidateRun::CallTimeoutWithin(std::chrono::nanoseconds left) const {
  const std::chrono::nanoseconds own = context_.backend->Facts().call_timeout;
  if (own.count() == 0) return left;
  return std::min(left, std::max(own, kTimesReference * reference_call_));
}

Result<MaybeFinding> CandidateRun::Load(const CpuPlan& plan) {
  const auto can = context_.backend->CanSanitize();
  if (context_.settings.sanitize == SanitizeWhen::kAlways && !can) {
    return Error{Errc::kInvalidArgument, "sanitize=always: " + can.error().message};
  }
  auto prepared = builds_.OfCandidate(order_.candidate, order_.stop);
  if (!prepared) return prepared.error();
  if (!prepared->artefact) {
    return MaybeFinding(
        Finding{prepared->result.outcome, prepared->result.reason, prepared->result.evidence});
  }
  artefact_ = prepared->artefact;
  auto loaded = LoadAgain(plan);
  if (!loaded) return loaded.error();
  if (loaded->fault) {
    CallReport report;
    report.fault = loaded->fault;
    return JudgeCall(context_.problem, {}, report);
  }
  runner_ = std::move(loaded->runner);
  if (const auto launches = runner_->Launches(); !launches.empty()) {
    Attach("kernels", LaunchesJson(launches));
  }
  return MaybeFinding();
}

Result<Loaded> CandidateRun::LoadAgain(const CpuPlan& plan) const {
  return LoadArtefact(artefact_, plan);
}

Result<Loaded> CandidateRun::LoadNothing(const CpuPlan& plan) const {
  return LoadArtefact(nullptr, plan);
}

Result<Loaded> CandidateRun::LoadArtefact(std::shared_ptr<const Artefact> artefact,
                                          const CpuPlan& plan) const {
  LoadOrder load{context_.problem, std::move(artefact), TensorRole::kCandidate,
                 Precision::kDeclared};
  load.arena_bytes = ArenaBytesOf(context_.problem, Precision::kDeclared);
  load.cpus = plan.runners;
  load.limit = std::chrono::duration_cast<std::chrono::milliseconds>(Left());
  load.stop = order_.stop;
  return context_.backend->Load(load);
}

MaybeFinding CandidateRun::End() {
  if (!runner_) return std::nullopt;
  const auto seen = runner_->End();
  runner_.reset();
  if (!seen) return std::nullopt;
  return Cheated("processes and threads are limited",
                 fmt::format("{}; policy.threads is {}", *seen, context_.problem.policy.threads));
}

Result<void> CandidateRun::AwaitAlone() const {
  constexpr std::chrono::milliseconds kLookEvery{100};
  while (context_.settings.waits_for_others) {
    const auto sight = context_.backend->Look();
    if (!sight || !sight->is_shared) break;
    if (IsOver()) return Error{Errc::kUnavailable, "not timed: " + sight->warning};
    std::this_thread::sleep_for(kLookEvery);
  }
  return {};
}

MaybeFinding CandidateRun::CheckFloor(const Sizes& sizes, const TimingReport& times) const {
  const auto check = [&](const MachinePeak& peak) {
    return compute::CheckFloor(context_.problem, sizes, times, peak);
  };
  if (!check(context_.backend->Peak())) return std::nullopt;
  return check(context_.backend->RaisePeak());
}

void CandidateRun::NoteDevice() {
  const auto device = context_.backend->Look();
  if (!device) return;
  Attach("device", device->facts);
  if (!device->warning.empty()) Note("machine", device->warning);
}

void CandidateRun::NoteMachine(const TimingReport& times) {
  if (!times.is_unstable) return;
  Note("machine",
       fmt::format("it did not come to rest (its processor took {:.0f} % longer than it can): the "
                   "times may be too long, the speedup less so",
                   100 * (times.slowness - 1)));
}

Result<MaybeFinding> CandidateRun::Sanitize(const std::vector<SharedTrial>& trials,
                                            bool is_record) {
  const SanitizeWhen when = context_.settings.sanitize;
  const bool must = when == SanitizeWhen::kAlways;
  if (!must && (when == SanitizeWhen::kNever || !is_record || !context_.backend->CanSanitize())) {
    return MaybeFinding();
  }
  phases_.Begin("sanitizer");
  auto found = SanitizeAll(SanitizedCalls(trials));
  if (found || must || order_.stop.stop_requested()) return found;
  Note("sanitizer", found.error().message);
  return MaybeFinding();
}

Result<MaybeFinding> CandidateRun::SanitizeAll(const std::vector<const TimedCase*>& calls) {
  Json told = Json::array();
  bool is_whole = true;
  const auto end = std::chrono::steady_clock::now() + kMaxSanitizing;
  for (const TimedCase* call : calls) {
    const auto limit =
        std::min<std::chrono::nanoseconds>(Left(), end - std::chrono::steady_clock::now());
    if (limit.count() <= 0) {
      is_whole = false;
      break;
    }
    auto report = context_.backend->Sanitize(
        {context_.problem, artefact_, call->sizes, call->inputs,
         std::chrono::duration_cast<std::chrono::milliseconds>(limit), order_.stop});
    if (!report) return report.error();
    const std::string sizes = TextOfSizes(call->sizes);
    told.push_back({{"sizes", sizes}, {"tools", report->tools}});
    is_whole &= report->is_whole;
    if (report->reason.empty()) continue;
    return MaybeFinding(
        Finding{Outcome::kWrong,
                fmt::format("compute-sanitizer, with {}: {}", sizes, report->reason),
                {{"sanitizer", report->output}}});
  }
  if (is_whole || context_.settings.sanitize != SanitizeWhen::kAlways) {
    Attach("sanitizer", {{"calls", told}});
    return MaybeFinding();
  }
  return MaybeFinding(
      Finding{Outcome::kTimedOut,
              "compute-sanitizer did not come to its end, as the request says that it must",
              {{"sanitizer", Dump(told)}}});
}

RunResult CandidateRun::Close(RunResult result) {
  const std::string phase = phases_.current();
  phases_.Begin("");
  Json times = phases_.ToJson();
  if (result.outcome != Outcome::kAccepted) times["failed_in"] = phase;
  for (Evidence& one : evidence_) result.evidence.push_back(std::move(one));
  result.evidence.push_back(MakeJsonEvidence("phases", times));
  result.sample.arm = order_.arm;
  result.sample.started = started_;
  result.sample.duration = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - began_);
  return result;
}

RunResult CandidateRun::Fail(const Finding& finding) {
  const bool is_late = finding.outcome == Outcome::kTimedOut && !order_.stop.stop_requested();
  const std::string limit =
      !is_late ? ""
      : Left().count() == 0
          ? fmt::format("; a run may take {} ms", order_.limit.count())
          : fmt::format("; a call may take {} ms", CallTimeout() / std::chrono::milliseconds{1});
  return Close({finding.outcome, finding.reason + limit, {}, finding.evidence});
}

Result<RunResult> CandidateRun::TimedOut() {
  if (order_.stop.stop_requested()) return Close({Outcome::kTimedOut, "asked to stop", {}, {}});
  if (Left() > std::chrono::nanoseconds{0}) {
    return Error{Errc::kUnavailable,
                 fmt::format("the kernel was not judged in time: the machine and the reference "
                             "alone took the {} ms that they may take",
                             LimitBeside().count())};
  }
  return Close({Outcome::kTimedOut,
                fmt::format("not finished after {} ms, in the phase \"{}\"", order_.limit.count(),
                            phases_.current()),
                {},
                {}});
}

RunResult CandidateRun::NotTimed() {
  return Close(
      {Outcome::kTimedOut,
       "no call could be timed: its process, or the machine, was never at rest before one, or "
       "a GPU after one",
       {},
       {}});
}

RunResult CandidateRun::Reject(const Error& error) {
  return Close({Outcome::kRejected, error.message, {}, {{"problem", error.message}}});
}

void CandidateRun::Attach(std::string what, const Json& json) {
  evidence_.push_back(MakeJsonEvidence(std::move(what), json));
}

void CandidateRun::Note(std::string what, std::string text) {
  evidence_.push_back({std::move(what), std::move(text)});
}

RunResult CandidateRun::Accept(std::map<std::string, Reading> metrics) {
  RunResult result;
  result.sample.metrics = std::move(metrics);
  return Close(std::move(result));
}

Result<RunResult> CandidateRun::AcceptUntimed(const std::vector<SharedTrial>& trials) {
  phases_.Begin("cheating");
  if (const auto found = End()) return Fail(*found);
  const auto fault = Sanitize(trials, false);
  if (!fault) return fault.error();
  return *fault ? Fail(**fault) : Accept({});
}

Result<RunResult> CandidateRun::Settle(Result<RunResult> judged) {
  if (judged) return judged;
  if (order_.stop.stop_requested()) return TimedOut();  // What failed was stopped.
  if (judged.error().code == Errc::kInvalidArgument) return Reject(judged.error());
  return judged;
}

TimingOrder CandidateRun::OrderTiming(const Sizes& sizes, const CpuPlan& plan) const {
  const JudgeSettings& settings = context_.settings;
  TimingOrder timing{context_.problem};
  timing.sizes = sizes;
  for (const ArraySpec& output : context_.problem.outputs) {
    timing.outputs.push_back(output.At(sizes));
  }
  timing.max_samples = settings.samples;
  timing.max_short_samples = kMoreOfShort * settings.samples;
  if (context_.backend->Facts().has_device) {
    timing.max_samples = timing.max_short_samples = kMoreOnDevices * settings.samples;
    timing.finest = kFinestOnDevicesNs;
    timing.seeks_calm = false;
    timing.calls_twice = false;  // A device forgets nothing between two processes.
    timing.seals = true;
    timing.full_every *= kFewerFullOnDevices;  // It has to come back from there.
  } else {
    const int cpu = plan.runners.empty() ? -1 : plan.runners.front();
    timing.pulse = [cpu] { return TakePulse(cpu); };
    timing.pulse_level = KnownPulse();
  }
  timing.warm_up = settings.warm_up;
  timing.precision = settings.precision;
  timing.budget = settings.timing_budget;
  timing.cache = settings.cache;
  timing.call_timeout = CallTimeout();
  timing.reference_timeout = CallTimeoutWithin(LeftBeside());
  timing.deadline = SystemClock().Now() + Left();
  timing.stop = order_.stop;
  return timing;
}

Reading ReadingOf(const TimedSide& side) {
  constexpr double kNsPerMs = 1e6;
  return {side.median / kNsPerMs, side.spread / kNsPerMs, side.counted};
}

}  // namespace hone::compute
