// SPDX-License-Identifier: Apache-2.0
// Judges kernels of which the truth is known; see bench/judging.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/benchmark_main.h"
#include "bench/equal_judgements.h"
#include "bench/judge.h"
#include "hone/base/json/json.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/measure/paired.h"
#include "hone/measure/statistics.h"

namespace hone {
namespace {

constexpr double kVariesFromUs = 20;  // Shorter calls vary as they like.
constexpr double kMaxVariation = 0.02;
constexpr double kMaxMs = 25;
constexpr int kSimpleSize = 400;

constexpr const char* kTorchProblem = R"({
  "name": "gemm_gelu", "backend": "torch", "entry_point": "Model",
  "reference": "import torch\nimport torch.nn as nn\n\nclass Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.linear = nn.Linear(128, 128)\n\n    def forward(self, x):\n        return torch.nn.functional.gelu(self.linear(x))\n\ndef get_inputs():\n    return [torch.randn(64, 128)]\n\ndef get_init_inputs():\n    return []\n"
})";

// `extra` in a thousand more rows of work. The compiler does not know how many: what it makes is
// the same but for that number. Where it knew, a tenth more work was a tenth faster on an x86.
std::string Kernel(int extra) {
  return fmt::format(R"(
static volatile int64_t extra = {};
__attribute__((noinline)) static void rows(const float* a, const float* b, float* out, int64_t m, int64_t n, int64_t k) {{
  for (int64_t i = 0; i < m; ++i) {{
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = 0;
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j) out[i * n + j] += a[i * k + l] * b[l * n + j];
  }}
}}
extern "C" void kernel(const float* a, const float* b, float* out, int64_t m, int64_t n, int64_t k) {{
  rows(a, b, out, m, n, k);
  asm volatile("" : : : "memory");
  rows(a, b, out, m * extra / 1000, n, k);
}}
)",
                     extra);
}

struct Plan {
  bool is_quick = false;
  // A problem, "torch" or "kernel_simple"; empty: all of them, and the other figures.
  std::string_view only;
  std::vector<int> loops = {0, 2};  // Left alone, and beside two busy loops.
};

std::vector<Equal> EqualPairs(const Plan& plan) {
  std::vector<Equal> pairs;
  for (const std::string& name : compute::ProblemNames("cpp")) {
    const bool is_sample = name == "matmul" || name == "saxpy" || name == "softmax";
    if (plan.only.empty() ? plan.is_quick && !is_sample : name != plan.only) continue;
    pairs.push_back({name, {{"problem", name}}, compute::FindProblem(name).value().reference});
  }
  if (!plan.only.empty() && plan.only != "torch") return pairs;
  const auto torch = compute::ParseProblem(kTorchProblem, "gemm_gelu").value();
  std::string candidate = torch.reference;
  candidate.replace(candidate.find("class Model("), 12, "class ModelNew(");
  pairs.push_back({torch.name + " (torch)", {{"problem_text", kTorchProblem}}, candidate});
  return pairs;
}

// Equal source on both sides: the interval of the speedup must cover 1.
bool CompareEqual(const TempDir& cache, const Plan& plan, int loops) {
  fmt::print("\nequal source on both sides{}\n", loops > 0 ? ", beside two busy loops" : "");
  PrintEqualHead();
  const BusyLoops busy(loops);
  Tally tally;
  for (const Equal& equal : EqualPairs(plan)) {
    Judge judge(cache.path(), equal.options);
    judge.Once(equal.source, 1000);
    JudgeEqual("judging", equal, judge, plan.is_quick ? 8 : 40, tally);
  }
  const bool covers = Report("covers 1, share of evaluations", 100 * tally.Share(), 100 * kCoverage,
                             "%", tally.Holds());
  const auto variations = tally.VariationsFrom(kVariesFromUs);
  if (loops > 0) return covers;
  const int restless = tally.RestlessFrom(kVariesFromUs);
  if (restless > 0) {
    fmt::print("of {} kernels too few evaluations found the machine at rest\n", restless);
  }
  if (variations.empty()) return covers & (restless == 0);
  const double variation = std::ranges::max(variations);
  return covers & Report("variation of a kernel's median from 20 us up, the worst", 100 * variation,
                         100 * kMaxVariation, "%", variation < kMaxVariation && restless == 0);
}

// A case of kernel_simple: the products of all pairs of n numbers, added up.
Equal SimpleCase() {
  Json x = Json::array();
  double sum = 0;
  for (int i = 0; i < kSimpleSize; ++i) {
    x.push_back(i % 7);
    sum += i % 7;
  }
  const Json problem = {
      {"name", "pairs"},
      {"workflow", "kernel_simple"},
      {"sizes", {"n"}},
      {"inputs", {{{"name", "x"}, {"dtype", "f32"}, {"shape", {"n"}}}}},
      {"outputs", {{{"name", "out"}, {"dtype", "f64"}, {"shape", Json::array()}}}},
      {"cases",
       {{{"sizes", {{"n", kSimpleSize}}},
         {"inputs", Json::array({x})},
         {"outputs", Json::array({sum * sum})}}}}};
  return {"kernel_simple", {{"problem_text", Dump(problem)}}, R"(
extern "C" void kernel(const float* x, double* out, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) sum += x[i] * x[j];
  *out = sum;
}
)"};
}

Equal SimpleTorchCase() {
  const Json problem = {{"name", "gelu"},
                        {"workflow", "kernel_simple"},
                        {"backend", "torch"},
                        {"entry_point", "ModelNew"},
                        {"reference", R"(
import torch
def get_cases():
    x = torch.linspace(-3, 3, 1 << 18)
    return [{"inputs": [x], "outputs": [torch.nn.functional.gelu(x)]}]
)"}};
  return {"kernel_simple (torch)", {{"problem_text", Dump(problem)}}, R"(
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.gelu(x)
)"};
}

// Whether what two evaluations say of one kernel's time agrees: their quotient's interval covers 1.
bool Agree(const Judgement& one, const Judgement& other) {
  if (!one.time_interval.IsBounded() || !other.time_interval.IsBounded()) return true;
  if (one.time_ms < other.time_ms) return Agree(other, one);
  const double down = std::log(one.time_ms / std::max(1e-9, one.time_interval.low));
  const double up = std::log(other.time_interval.high / other.time_ms);
  return std::log(one.time_ms / other.time_ms) <= std::hypot(down, up);
}

// One kernel twice, where there is no reference.
void JudgeTwice(const Equal& equal, Judge& judge, int rounds, Tally& tally) {
  std::vector<double> times;
  std::vector<double> widths;
  int covered = 0;
  for (int i = 0; i < rounds; ++i) {
    Judgement both[2];
    for (Judgement& one : both) {
      one = judge.Once(equal.source, static_cast<std::uint64_t>(i) + 1);
      if (one.outcome != Outcome::kAccepted) GiveUp("judging", equal.name + ": " + one.reason);
      times.push_back(one.time_ms);
      widths.push_back((one.time_interval.high - one.time_interval.low) / one.time_ms);
    }
    covered += Agree(both[0], both[1]) ? 1 : 0;
  }
  const bool is_short = tally.Count(covered, rounds);
  fmt::print("  {:<22} {:>9.1f} us {:>8.2f} % {:>8.2f} % {:>5} of {}{}\n", equal.name,
             1000 * Median(times), 100 * StandardDeviation(times) / Mean(times),
             100 * Median(widths) / 2, covered, rounds, is_short ? "  FAILS" : "");
  std::fflush(stdout);
}

bool CompareTwice(const TempDir& cache, const Plan& plan, int loops) {
  fmt::print("\none kernel twice, without a reference{}\n",
             loops > 0 ? ", beside two busy loops" : "");
  fmt::print("  {:<22} {:>12} {:>10} {:>10} {:>10}\n", "workflow", "time", "variation",
             "half width", "agree");
  const BusyLoops busy(loops);
  Tally tally;
  for (const Equal& equal : {SimpleCase(), SimpleTorchCase()}) {
    const bool is_slow = equal.name != "kernel_simple";
    if (is_slow && plan.is_quick) continue;
    Judge judge(cache.path(), equal.options);
    judge.Once(equal.source, 1000);
    JudgeTwice(equal, judge, plan.is_quick ? 8 : is_slow ? 10 : 40, tally);
  }
  return Report("agree, share of pairs of evaluations", 100 * tally.Share(), 100 * kCoverage, "%",
                !tally.is_short);
}

bool CompareSlower(const TempDir& cache, int rounds) {
  Judge judge(cache.path(), {{"problem", "matmul"}});
  judge.Once(Kernel(0), 1000);
  judge.Once(Kernel(100), 1000);
  std::vector<double> log_ratios;
  log_ratios.reserve(static_cast<std::size_t>(rounds));
  for (int i = 0; i < rounds; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const double plain = judge.Once(Kernel(0), seed).speedup;
    log_ratios.push_back(std::log(plain / judge.Once(Kernel(100), seed).speedup));
  }
  const PairedTest told = TestPairs(log_ratios);
  const bool holds = Report("a tenth more work: measured difference",
                            100 * (std::exp(told.effect) - 1), 0, "%", told.interval.low > 0);
  fmt::print("  its 95 % interval: {:.2f} % to {:.2f} %\n", 100 * (std::exp(told.interval.low) - 1),
             100 * (std::exp(told.interval.high) - 1));
  return holds;
}

bool TimeTrivial(const TempDir& cache, int rounds) {
  Judge trivial(cache.path(), {{"problem", "matmul_small"}});
  const std::string source = compute::FindProblem("matmul_small").value().reference;
  for (std::uint64_t i = 0; i < 3; ++i) trivial.Once(source, 1000 + i);
  std::vector<double> whole;
  std::map<std::string, std::vector<double>> phases;
  for (int i = 0; i < rounds; ++i) {
    const Judgement found = trivial.Once(source, static_cast<std::uint64_t>(i));
    whole.push_back(found.whole_ms);
    for (const auto& [phase, ms] : found.phases_ms) phases[phase].push_back(ms);
  }
  const bool holds = Report("trivial kernel, warm caches, whole evaluation, median", Median(whole),
                            kMaxMs, "ms", Median(whole) < kMaxMs);
  for (const auto& [phase, ms] : phases) fmt::print("  {:<62} {:>8.3f} ms\n", phase, Median(ms));
  return holds;
}

int Compare(const Plan& plan) {
  const TempDir cache = TempDir::Make("hone-judging").value();
  const int rounds = plan.is_quick ? 10 : 30;
  bool holds = true;
  if (plan.only.empty()) holds &= CompareSlower(cache, rounds);
  if (plan.only.empty() || plan.only == "trivial") holds &= TimeTrivial(cache, rounds);
  for (const int loops : plan.loops) {
    if (plan.only != "kernel_simple") holds &= CompareEqual(cache, plan, loops);
    if (plan.only.empty() || plan.only == "kernel_simple") {
      holds &= CompareTwice(cache, plan, loops);
    }
  }
  fmt::print("judging: {}\n", holds ? "holds" : "falls short");
  return holds ? 0 : 1;
}

}  // namespace

int BenchmarkMain(int argc, char** argv) {
  Plan plan;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") plan.is_quick = true;
    if (argument == "--only" && i + 1 < argc) plan.only = argv[++i];
    if (argument == "--quiet") plan.loops = {0};
    if (argument == "--busy") plan.loops = {2};
  }
  if (plan.only == "trivial") plan.loops.clear();
  return Compare(plan);
}

}  // namespace hone
