// SPDX-License-Identifier: Apache-2.0
// Whether counting what a benchmark does touches its score: runs of the same workload with and
// without counters, in pairs of random order, scored by the workload itself. `bench/counters` runs
// it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/benchmark_main.h"
#include "hone/base/json/json.h"
#include "hone/core/rng.h"
#include "hone/domains/sysctl/preflight.h"
#include "hone/domains/sysctl/workload/workload_runner.h"
#include "hone/domains/sysctl/workload/workload_spec.h"
#include "hone/measure/paired.h"
#include "hone/measure/program_counters.h"

namespace hone {
namespace {

constexpr double kMaxCost = 0.01;  // Of the score.

struct Load {
  const char* name;
  const char* script;  // Does `$n` things.
};

constexpr Load kLoads[] = {
    {"computing", "i=0; while [ $i -lt $n ]; do i=$((i+1)); done"},
    {"switching",
     "mkfifo {folder}/a {folder}/b; "
     "(exec 3<>{folder}/a 4<>{folder}/b; i=0; "
     "while [ $i -lt $n ]; do read x <&3; echo y >&4; i=$((i+1)); done) & "
     "exec 3<>{folder}/a 4<>{folder}/b; i=0; "
     "while [ $i -lt $n ]; do echo x >&3; read y <&4; i=$((i+1)); done; wait; "
     "rm {folder}/a {folder}/b"},
    {"forking", "i=0; while [ $i -lt $n ]; do /bin/true; i=$((i+1)); done"},
};
constexpr int kThings[] = {300'000, 4'000, 400};

sysctl::WorkloadSpec SpecOf(const Load& load, int things) {
  const std::string script = fmt::format(
      "n={}; from=$(date +%s%N); {}; to=$(date +%s%N); echo speed: $((n * 1000000000 / (to - "
      "from)))",
      things, load.script);
  const Json json{
      {"name", load.name},
      {"target", "namespace"},
      {"benchmark", {{"shell", script}}},
      {"metrics", Json::array({{{"name", "speed"}, {"direction", "higher_is_better"}}})},
      {"parameters", {"net.ipv4.tcp_congestion_control"}}};
  auto spec = sysctl::ReadWorkloadSpec(json, load.name);
  if (!spec) throw std::runtime_error(spec.error().message);
  return *std::move(spec);
}

using MakeRun = std::function<Result<RunResult>()>;

double ScoreOf(const MakeRun& make_run, const std::string& metric, bool is_counted) {
  if (is_counted) {
    ::unsetenv("HONE_COUNTERS");
  } else {
    ::setenv("HONE_COUNTERS", "off", 1);
  }
  const auto result = make_run();
  if (!result) throw std::runtime_error(result.error().message);
  if (result->outcome != Outcome::kAccepted) throw std::runtime_error(result->reason);
  if (result->sample.observations.contains("cpu_time_s") != is_counted) {
    throw std::runtime_error("what was to be counted was not, or the other way round");
  }
  return result->sample.metrics.at(metric).value;
}

PairedTest Compare(const MakeRun& make_run, const std::string& metric, int pairs, Rng& rng) {
  std::vector<double> ratios;
  ratios.reserve(static_cast<std::size_t>(pairs));
  for (int i = 0; i < pairs; ++i) {
    const bool is_counted_first = rng.Coin();
    const double first = ScoreOf(make_run, metric, is_counted_first);
    const double second = ScoreOf(make_run, metric, !is_counted_first);
    ratios.push_back(std::log(is_counted_first ? first / second : second / first));
  }
  return TestPairs(ratios);
}

// Whether it is not surely slowed down by more than is allowed.
bool Tell(const std::string& name, const PairedTest& test) {
  fmt::print("{:<12} {:>6} {:>+21.2f} % {:>+9.2f} % to {:+.2f} %\n", name, test.count,
             100 * std::expm1(test.effect), 100 * std::expm1(test.interval.low),
             100 * std::expm1(test.interval.high));
  std::fflush(stdout);
  return test.interval.high >= -kMaxCost;
}

// A client and a service in namespaces, as `hone tune tcp` has them.
MakeRun RunsOfTcp() {
  const auto preset = sysctl::FindPreset("tcp");
  if (!preset) throw std::runtime_error(preset.error().message);
  sysctl::WorkloadSpec spec = *preset;
  for (auto* command : {&spec.service->start, &*spec.service->ready, &spec.benchmark}) {
    std::ranges::replace(command->arguments, "{hone}", HONE_BINARY);
  }
  return [spec = std::move(spec)] { return sysctl::RunUnchanged(spec); };
}

}  // namespace

int BenchmarkMain(int argc, char** argv) {
  const bool is_quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  const int pairs = is_quick ? 12 : 100;
  const std::string missing = MissingCounters();
  fmt::print("not counted here: {}\n", missing.empty() ? "nothing" : missing);
  fmt::print("{:<12} {:>6} {:>22} {:>22}\n", "workload", "pairs", "counting changes speed by",
             "95 %");
  Rng rng(1);
  bool holds = true;
  for (std::size_t i = 0; i < std::size(kLoads); ++i) {
    auto runner = sysctl::WorkloadRunner::Open(SpecOf(kLoads[i], kThings[i]), {});
    if (!runner) throw std::runtime_error(runner.error().message);
    const auto make_run = [&] { return (*runner)->Run({}); };
    holds = Tell(kLoads[i].name, Compare(make_run, "speed", pairs, rng)) && holds;
  }
  holds = Tell("tcp", Compare(RunsOfTcp(), "gbit_per_s", pairs, rng)) && holds;
  fmt::print("it {}: no workload is surely slowed down by more than {:g} %\n",
             holds ? "holds" : "FAILS", 100 * kMaxCost);
  return holds ? 0 : 1;
}

}  // namespace hone
