// SPDX-License-Identifier: Apache-2.0
// Judges kernels on a GPU of which the truth is known; see bench/gpu.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "bench/benchmark_main.h"
#include "bench/equal_judgements.h"
#include "bench/judge.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/gpu/gpu_device.h"
#include "hone/measure/paired.h"
#include "hone/measure/statistics.h"

namespace hone {
namespace {

constexpr double kMaxVariationFrom50 = 0.01;
constexpr double kMaxSeconds = 0.7;

// A kernel that takes `work` multiply-adds a thread, one after the other.
constexpr const char* kChainProblem = R"({{
  "name": "chain", "backend": "cuda", "sizes": ["n"], "shapes": [{{"n": 65536}}, {{"n": 1}}, {{"n": 1000}}],
  "inputs": [{{"name": "x", "dtype": "f32", "shape": ["n"]}}],
  "outputs": [{{"name": "out", "dtype": "f32", "shape": ["n"]}}],
  "operations": "2*n", "bytes": "8*n", "reference": {}}})";

std::string Chain(int work) {
  return fmt::format(R"(// hone: launch chain grid((n + 255) / 256) block(256) args(x, out, n)
extern "C" __global__ void chain(const scalar* x, scalar* out, int64_t n) {{
  const int64_t i = int64_t{{blockIdx.x}} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  scalar value = x[i];
  for (int k = 0; k < {}; ++k) value = value * scalar(0.5) + x[i];
  out[i] = value;
}}
)",
                     work);
}

Equal ChainOf(int work) {
  const std::string source = Chain(work);
  return {fmt::format("chain of {}", work),
          {{"problem_text", fmt::format(kChainProblem, Dump(Json(source)))}},
          source};
}

std::vector<Equal> GpuPairs() {
  std::vector<Equal> pairs;
  for (const std::string& name : compute::ProblemNames("cuda")) {
    pairs.push_back({name, {{"problem", name}}, compute::FindProblem(name).value().reference});
  }
  for (const int work : {2500, 10000, 25000, 250000}) pairs.push_back(ChainOf(work));
  return pairs;
}

bool CompareGpuEqual(const TempDir& cache, int rounds) {
  fmt::print("\nequal source on both sides\n");
  PrintEqualHead();
  Tally tally;
  tally.from_us = 50;
  for (const Equal& equal : GpuPairs()) {
    Judge judge(cache.path(), equal.options);
    judge.Once(equal.source, 1000);
    JudgeEqual("gpu", equal, judge, rounds, tally);
  }
  const double variation = tally.variations.empty() ? 1 : Median(tally.variations);
  const bool covers = Report("covers 1, share of evaluations", 100 * tally.Share(), 100 * kCoverage,
                             "%", tally.Holds());
  const bool is_steady =
      Report("variation of a kernel's median from 50 us up, median over the kernels",
             100 * variation, 100 * kMaxVariationFrom50, "%", variation < kMaxVariationFrom50);
  return covers && is_steady;
}

bool CompareGpuSlower(const TempDir& cache, int rounds) {
  const Equal plain = ChainOf(10000);
  const std::string slower = Chain(10500);
  Judge judge(cache.path(), plain.options);
  judge.Once(plain.source, 1000);
  judge.Once(slower, 1000);
  std::vector<double> log_ratios;
  log_ratios.reserve(static_cast<std::size_t>(rounds));
  for (int i = 0; i < rounds; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const double reference = judge.Once(plain.source, seed).speedup;
    log_ratios.push_back(std::log(reference / judge.Once(slower, seed).speedup));
  }
  const PairedTest told = TestPairs(log_ratios);
  const bool holds = Report("a twentieth more work: measured difference",
                            100 * (std::exp(told.effect) - 1), 0, "%", told.interval.low > 0);
  fmt::print("  its 95 % interval: {:.2f} % to {:.2f} %\n", 100 * (std::exp(told.interval.low) - 1),
             100 * (std::exp(told.interval.high) - 1));
  return holds;
}

bool TimeGpuVerdict(const TempDir& cache, int rounds) {
  Judge judge(cache.path(), {{"problem", "gpu_saxpy"}});
  const std::string source = compute::FindProblem("gpu_saxpy").value().reference;
  // The first evaluations of a problem compare processes of its reference besides.
  for (std::uint64_t i = 0; i < 8; ++i) judge.Once(source, 1000 + i);
  std::vector<double> seconds;
  seconds.reserve(static_cast<std::size_t>(rounds));
  for (int i = 0; i < rounds; ++i) {
    seconds.push_back(judge.Once(source, static_cast<std::uint64_t>(i)).whole_ms / 1000);
  }
  return Report("gpu_saxpy, warm, whole evaluation, median", Median(seconds), kMaxSeconds, "s",
                Median(seconds) < kMaxSeconds);
}

}  // namespace

int BenchmarkMain(int argc, char** argv) {
  bool is_quick = false;
  for (int i = 1; i < argc; ++i) is_quick |= std::string_view(argv[i]) == "--quick";
  const auto gpus = gpu::FindGpus();
  if (!gpus) GiveUp("gpu", gpus.error().message);
  const gpu::GpuFacts& facts = gpus->front()->Facts();
  fmt::print("{}, driver {}\n", facts.name, facts.driver);
  const TempDir cache = TempDir::Make("hone-gpu").value();
  bool holds = TimeGpuVerdict(cache, is_quick ? 5 : 30);
  holds &= CompareGpuSlower(cache, is_quick ? 6 : 30);
  holds &= CompareGpuEqual(cache, is_quick ? 4 : 40);
  fmt::print(
      "not measured yet: verdicts an hour, kernels that break, cheats, honest kernels, "
      "agreement with events\n");
  fmt::print("gpu: falls short: {}\n",
             holds ? "the figures above hold, those named before are not measured yet"
                   : "see FAILS above");
  return 1;
}

}  // namespace hone
