// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/workload_runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "hone/base/clock.h"
#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/base/log.h"
#include "hone/base/process/running_process.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/sysctl/kernel/setting.h"
#include "hone/domains/sysctl/workload/metric_reader.h"
#include "hone/domains/sysctl/workload/service.h"
#include "hone/domains/sysctl/workload/stage_commands.h"
#include "hone/domains/sysctl/workload/suspicion.h"
#include "hone/domains/sysctl/workload/tripwire.h"
#include "hone/measure/machine_counters.h"
#include "hone/measure/program_counters.h"

namespace hone::sysctl {
namespace {

using End = ProcessResult::End;
using std::chrono::milliseconds;

constexpr milliseconds kSetupLimit{600'000};
constexpr milliseconds kBeforeRunLimit{60'000};
constexpr std::size_t kMaxOutput = 16 << 20;

RunResult Failed(Outcome outcome, std::string reason, std::vector<Evidence> evidence = {}) {
  RunResult result;
  result.outcome = outcome;
  result.reason = std::move(reason);
  result.evidence = std::move(evidence);
  return result;
}

// A command that could not be run. Where it never can, that is an outcome of the run like any other
// failure, so that the gate ends with it.
Result<RunResult> NotRun(const std::string& what, const Error& error) {
  if (!IsHopeless(error)) return error;
  return Failed(Outcome::kCrashed, fmt::format("{} cannot be run: {}", what, error.message));
}

bool IsGood(const ProcessResult& done) { return done.end == End::kExited && done.status == 0; }

// Writes out what is dirty and forgets what the page cache, dentries and inodes hold.
Result<void> DropCaches() {
  constexpr const char* kPath = "/proc/sys/vm/drop_caches";
  ::sync();
  const Descriptor file(::open(kPath, O_WRONLY | O_CLOEXEC));
  if (file.is_open() && ::write(file.get(), "3\n", 2) == 2) return {};
  if (errno == EACCES || errno == EPERM || errno == EROFS) {
    return Error{Errc::kUnsupported,
                 fmt::format("{}: may not be written, so that page_cache \"cold\" cannot be had: "
                             "run as root, or say \"warm\"",
                             kPath)};
  }
  return ErrnoError(kPath, errno);
}

constexpr std::string_view kScratch = "hone-workload";

// The counters of the namespace that the benchmark runs in.
std::filesystem::path NetworkFolder(const std::string& network_namespace) {
  constexpr std::string_view kEnding = "/ns/net";
  if (!network_namespace.ends_with(kEnding)) return "/proc/net";
  return network_namespace.substr(0, network_namespace.size() - kEnding.size()) + "/net";
}

Evidence EvidenceOf(const std::vector<Opening>& openings) {
  Evidence evidence{"tuned parameters opened during the run", ""};
  for (const Opening& opening : openings) {
    evidence.text += fmt::format(
        "{}: {}{}\n", NameOfPath(opening.path),
        opening.times == 1 ? "once" : fmt::format("{} times", opening.times),
        opening.program.empty() ? ""
                                : (opening.times == 1 ? ", by " : ", first by ") + opening.program);
  }
  return evidence;
}

class Runner final : public WorkloadRunner {
 public:
  Runner(WorkloadSpec spec, StageCommands commands, TempDir scratch)
      : spec_(std::move(spec)),
        scratch_(std::move(scratch)),
        commands_(std::move(commands)),
        network_(NetworkFolder(commands_.stage().network_namespace)),
        cpu_counters_(CpuCounters::Open(commands_.stage().cpus)) {
    if (spec_.service) service_.emplace(*spec_.service, commands_);
  }

  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  ~Runner() override {
    service_.reset();
    for (const CommandSpec& command : spec_.teardown) {
      const auto done = RunProcess(commands_.Make(command, Side::kService, kSetupLimit));
      if (!done || !IsGood(*done)) {
        Log(LogLevel::kWarning, "{}: teardown: {} failed", spec_.name, command.arguments.back());
      }
    }
  }

  // What fails here fails every run: the candidate's are told so, as of any other command.
  Result<void> SetUp() {
    for (std::size_t i = 0; i < spec_.setup.size(); ++i) {
      const Command command = commands_.Make(spec_.setup[i], Side::kService, kSetupLimit);
      const auto done = RunProcess(command);
      if (done && IsGood(*done)) continue;
      const std::string where = fmt::format("/setup/{}", i);
      if (!done) {
        auto fault = NotRun(where, done.error());
        if (!fault) return fault.error();
        setup_fault_ = *std::move(fault);
        return {};
      }
      setup_fault_ = Failed(
          Outcome::kCrashed,
          fmt::format("{} ({}) {}", where, command.arguments[0], EndText(*done, command.limit)),
          OutputEvidence(where, *done));
      return {};
    }
    return {};
  }

  // The wires watch from before the service starts, since that is when a candidate may do harm.
  Result<RunResult> Run(const WorkloadRun& run) override {
    if (setup_fault_) return *setup_fault_;
    std::stop_source stop;
    const std::stop_callback on_stop(run.stop, [&] { stop.request_stop(); });
    const auto wires = Tripwires::Arm({spec_.tripwires, spec_.metrics}, [&](const Trip& trip) {
      if (run.on_trip) run.on_trip(trip.why);
      stop.request_stop();
    });
    auto result = PrepareService(run, stop.get_token());
    if (result && result->outcome == Outcome::kAccepted) {
      result = RunWatched(run, stop.get_token(), *wires);
    }
    const auto trip = wires->Disarm();
    if (!result || !trip) return result;
    result->outcome = trip->wire == Trip::Wire::kLiveLimit ? Outcome::kRejected : Outcome::kCrashed;
    result->reason = "tripwire " + trip->why;
    result->sample.metrics.clear();
    return result;
  }

 private:
  Result<RunResult> PrepareService(const WorkloadRun& run, const std::stop_token& stop) {
    if (!service_) return RunResult{};
    auto fault = service_->Prepare(run.has_sticky_change, stop);
    if (!fault) return fault.error();
    if (*fault) return Failed(Outcome::kCrashed, (*fault)->reason, (*fault)->evidence);
    return RunResult{};
  }

  // What prepares the run, the benchmark itself, and meanwhile the service: none of them has to
  // read what is tuned.
  Result<RunResult> RunWatched(const WorkloadRun& run, const std::stop_token& stop,
                               Tripwires& wires) {
    const auto opens = OpenWatch::Start(run.watched_paths, commands_.stage().network_namespace);
    auto result = Prepare(stop, *opens);
    if (result && result->outcome == Outcome::kAccepted) {
      result = Measure(run, stop, wires, *opens);
    }
    if (!result) return result;
    AddSuspicion(opens->Stop(), *result);
    AddBlindness(opens->blind(), *result);
    return result;
  }

  // The commands before the benchmark; accepted if it may run now.
  Result<RunResult> Prepare(const std::stop_token& stop, OpenWatch& opens) {
    for (std::size_t i = 0; i < spec_.before_run.size(); ++i) {
      Command command = commands_.Make(spec_.before_run[i], Side::kService, kBeforeRunLimit);
      command.stop = stop;
      const std::string where = fmt::format("before_run {}", i);
      const auto process = RunningProcess::Start(command);
      if (!process) return NotRun(where, process.error());
      opens.Follow((*process)->supervisor());
      const auto& done = (*process)->Wait();
      if (!done) return NotRun(where, done.error());
      if (IsGood(*done)) continue;
      return Failed(Outcome::kCrashed, fmt::format("{} {}", where, EndText(*done, command.limit)),
                    OutputEvidence(where, *done));
    }
    if (spec_.page_cache == PageCache::kCold) {
      if (auto dropped = DropCaches(); !dropped) return dropped.error();
    }
    return RunResult{};
  }

  Command BenchmarkFor(const WorkloadRun& run, const std::stop_token& stop) const {
    Command command = commands_.Make(spec_.benchmark, Side::kBenchmark, spec_.budget.run_timeout);
    command.limit = std::min(command.limit, spec_.budget.run_timeout);
    if (run.limit.count() > 0) command.limit = std::min(command.limit, run.limit);
    command.max_output = kMaxOutput;
    command.stop = stop;
    return command;
  }

  Result<RunResult> Measure(const WorkloadRun& run, const std::stop_token& stop, Tripwires& wires,
                            OpenWatch& opens) {
    const Command command = BenchmarkFor(run, stop);
    if (const auto service = service_ ? service_->supervisor() : std::nullopt) {
      opens.FollowService(*service);
    }
    const WallTime started = SystemClock().Wall();
    const CountsNow counts_before = ReadCounts();
    const MachineCounters before = ReadMachineCounters(network_);
    auto process =
        RunningProcess::Start(command, [&](std::string_view line) { wires.SeeLine(line); });
    if (!process) return NotRun("the benchmark", process.error());
    opens.Follow((*process)->supervisor());
    const auto& done = (*process)->Wait();
    const MachineCounters after = ReadMachineCounters(network_);
    const CountsNow counts_after = ReadCounts();
    if (!done) return NotRun("the benchmark", done.error());

    RunResult result = Judged(*done, command.limit);
    result.sample.started = started;
    result.sample.duration = std::chrono::duration_cast<std::chrono::microseconds>(done->wall);
    result.sample.observations = ObservationsBetween(before, after);
    if (!IsCountingOff()) {
      result.sample.observations.merge(CountsInRun(*done, counts_before, counts_after));
    }
    return result;
  }

  struct CountsNow {
    Counts cpus;
    TreeCounts service;
  };

  CountsNow ReadCounts() const {
    if (IsCountingOff()) return {};
    return {cpu_counters_.Read(), service_ ? service_->ReadCounts() : TreeCounts()};
  }

  // Of benchmark and service together, and of the processors that they may use.
  Counts CountsInRun(const ProcessResult& done, const CountsNow& before,
                     const CountsNow& after) const {
    Counts counts = CountsOf(done);
    if (service_) counts = Together(counts, CountsBetween(before.service, after.service));
    counts.merge(CountsBetween(before.cpus, after.cpus));
    return counts;
  }

  static void AddSuspicion(const std::vector<Opening>& openings, RunResult& result) {
    if (openings.empty()) return;
    result.sample.marks = MarksOf(openings);
    result.evidence.push_back(EvidenceOf(openings));
  }

  // Said once a session.
  void AddBlindness(const std::vector<std::string>& blind, RunResult& result) {
    if (blind.empty() || std::exchange(has_told_blindness_, true)) return;
    result.evidence.push_back({"tuned parameters whose opening cannot be seen",
                               fmt::format("{}", fmt::join(blind, "\n"))});
  }

  RunResult Judged(const ProcessResult& done, milliseconds limit) {
    std::vector<Evidence> evidence = OutputEvidence("benchmark", done);
    if (auto fault = service_ ? service_->CheckAlive() : std::nullopt) {
      evidence.insert(evidence.end(), fault->evidence.begin(), fault->evidence.end());
      return Failed(Outcome::kCrashed, fault->reason, std::move(evidence));
    }
    if (!IsGood(done)) {
      const bool is_late = done.end == End::kTimedOut || done.end == End::kStopped;
      return Failed(is_late ? Outcome::kTimedOut : Outcome::kCrashed,
                    "the benchmark " + EndText(done, limit), std::move(evidence));
    }
    if (done.is_output_cut) {
      return Failed(Outcome::kWrong,
                    fmt::format("the benchmark printed more than {} MiB", kMaxOutput >> 20),
                    std::move(evidence));
    }
    const auto values = ReadMetricValues(spec_.metrics, done.output);
    if (!values) return Failed(Outcome::kWrong, values.error().message, std::move(evidence));
    RunResult result;
    result.sample.output = OutputText(done);
    for (const auto& [name, value] : *values) result.sample.metrics[name] = Reading{value, 0, 1};
    return result;
  }

  const WorkloadSpec spec_;
  const TempDir scratch_;
  const StageCommands commands_;
  const std::filesystem::path network_;
  const CpuCounters cpu_counters_;
  std::optional<WorkloadService> service_;
  std::optional<RunResult> setup_fault_;
  bool has_told_blindness_ = false;
};

}  // namespace

Result<std::unique_ptr<WorkloadRunner>> WorkloadRunner::Open(const WorkloadSpec& spec,
                                                             WorkloadStage stage) {
  TempDir::RemoveAbandoned(kScratch);  // As large as a gibibyte each.
  auto scratch = TempDir::Make(kScratch);
  if (!scratch) return scratch.error();
  auto commands = StageCommands::Make(std::move(stage), scratch->path());
  if (!commands) return commands.error();
  auto runner = std::make_unique<Runner>(spec, *std::move(commands), *std::move(scratch));
  if (auto set_up = runner->SetUp(); !set_up) return set_up.error();
  return std::unique_ptr<WorkloadRunner>(std::move(runner));
}

std::vector<std::string> BlindSpots(const WorkloadSpec& spec) {
  std::vector<std::string> spots = DeadWires({spec.tripwires, spec.metrics});
  if (!CanTraceOpenings()) {
    spots.emplace_back(
        "a benchmark that reads the tuned parameters: seen, but not told from other programs that "
        "read them: run as root");
  }
  return spots;
}

}  // namespace hone::sysctl
