// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/workload_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hone/base/clock.h"
#include "hone/base/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/sysctl/workload/metric_reader.h"
#include "hone/domains/sysctl/workload/stage_commands.h"

namespace hone::sysctl {
namespace {

using End = ProcessResult::End;
using std::chrono::milliseconds;

constexpr milliseconds kSetupLimit{600'000};
constexpr std::size_t kMostOutput = 16 << 20;

RunResult Failed(Outcome outcome, std::string reason, std::vector<Evidence> evidence = {}) {
  RunResult result;
  result.outcome = outcome;
  result.reason = std::move(reason);
  result.evidence = std::move(evidence);
  return result;
}

class Runner final : public WorkloadRunner {
 public:
  Runner(WorkloadSpec spec, StageCommands commands, TempDir scratch)
      : spec_(std::move(spec)), scratch_(std::move(scratch)), commands_(std::move(commands)) {}

  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  ~Runner() override {
    for (const CommandSpec& command : spec_.teardown) {
      (void)RunProcess(commands_.Make(command, Side::kService, kSetupLimit));
    }
  }

  Result<void> SetUp() {
    for (std::size_t i = 0; i < spec_.setup.size(); ++i) {
      const Command command = commands_.Make(spec_.setup[i], Side::kService, kSetupLimit);
      const auto done = RunProcess(command);
      if (!done) return done.error();
      if (done->end == End::kExited && done->status == 0) continue;
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: /setup/{}: {} {}: {}", spec_.name, i, command.arguments[0],
                               EndText(*done, command.limit),
                               TailOf(done->errors.empty() ? done->output : done->errors))};
    }
    return {};
  }

  Result<RunResult> Run(const WorkloadRun& run) override {
    Command command = commands_.Make(spec_.benchmark, Side::kBenchmark, spec_.budget.run_limit);
    command.limit = std::min(command.limit, spec_.budget.run_limit);
    if (run.limit.count() > 0) command.limit = std::min(command.limit, run.limit);
    command.stop = run.stop;
    command.most_output = kMostOutput;
    const WallTime started = SystemClock().Wall();
    const auto done = RunProcess(command);
    if (!done) return done.error();
    RunResult result = Judged(*done, command.limit);
    result.sample.started = started;
    result.sample.duration = std::chrono::duration_cast<std::chrono::microseconds>(done->wall);
    return result;
  }

 private:
  RunResult Judged(const ProcessResult& done, milliseconds limit) const {
    std::vector<Evidence> evidence = OutputEvidence("benchmark", done);
    if (done.end == End::kTimedOut || done.end == End::kStopped) {
      return Failed(Outcome::kTimedOut, "the benchmark " + EndText(done, limit),
                    std::move(evidence));
    }
    if (done.end != End::kExited || done.status != 0) {
      return Failed(Outcome::kCrashed, "the benchmark " + EndText(done, limit),
                    std::move(evidence));
    }
    if (done.is_output_cut) {
      return Failed(Outcome::kWrong,
                    fmt::format("the benchmark printed more than {} MiB", kMostOutput >> 20),
                    std::move(evidence));
    }
    const auto values = ReadMetricValues(spec_.metrics, done.output);
    if (!values) return Failed(Outcome::kWrong, values.error().message, std::move(evidence));
    RunResult result;
    for (const auto& [name, value] : *values) result.sample.metrics[name] = Reading{value, 0, 1};
    return result;
  }

  const WorkloadSpec spec_;
  const TempDir scratch_;
  const StageCommands commands_;
};

}  // namespace

Result<std::unique_ptr<WorkloadRunner>> WorkloadRunner::Open(const WorkloadSpec& spec,
                                                             Stage stage) {
  auto scratch = TempDir::Make("hone-workload");
  if (!scratch) return scratch.error();
  auto commands = StageCommands::Make(std::move(stage), scratch->path());
  if (!commands) return commands.error();
  auto runner = std::make_unique<Runner>(spec, *std::move(commands), *std::move(scratch));
  if (auto set_up = runner->SetUp(); !set_up) return set_up.error();
  return std::unique_ptr<WorkloadRunner>(std::move(runner));
}

}  // namespace hone::sysctl
