// SPDX-License-Identifier: Apache-2.0
// Judges the same kernel over and over; see bench/judging.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bench/benchmark_main.h"
#include "hone/base/json/evidence_json.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/compute/compute_domain.h"
#include "hone/measure/paired.h"
#include "hone/measure/statistics.h"

namespace hone {
namespace {

constexpr double kMaxVariation = 0.02;
constexpr double kMaxMs = 25;

// `extra` in a thousand more rows of work.
std::string Kernel(int extra) {
  return fmt::format(R"(
static void rows(const float* a, const float* b, float* out, int64_t m, int64_t n, int64_t k) {{
  for (int64_t i = 0; i < m; ++i) {{
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = 0;
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j) out[i * n + j] += a[i * k + l] * b[l * n + j];
  }}
}}
extern "C" void kernel(const float* a, const float* b, float* out, int64_t m, int64_t n, int64_t k) {{
  rows(a, b, out, m, n, k);
  asm volatile("" : : : "memory");
  rows(a, b, out, m * {} / 1000, n, k);
}}
)",
                     extra);
}

constexpr const char* kTrivial = R"(
extern "C" void kernel(const float* a, const float* b, float* out, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = 0;
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j) out[i * n + j] += a[i * k + l] * b[l * n + j];
  }
}
)";

[[noreturn]] void GiveUp(const std::string& why) {
  fmt::print("judging: falls short: {}\n", why);
  std::exit(1);
}

struct Judgement {
  double time_ms = 0;
  double speedup = 0;
  double whole_ms = 0;
  std::int64_t disturbed = 0;
  bool is_unstable = false;
};

class Judge {
 public:
  explicit Judge(const std::string& problem) : folder_(TempDir::Make("hone-judging").value()) {
    entry_ = ComputeDomainEntry({folder_.path(), {}});
    auto domain = MakeDomain({{"compute", entry_}}, "compute", {{"problem", problem}});
    if (!domain) GiveUp(domain.error().message);
    domain_ = std::move(*domain);
  }

  Judgement Once(const std::string& source, std::uint64_t seed) {
    const auto began = std::chrono::steady_clock::now();
    auto session = domain_->Open();
    if (!session) GiveUp(session.error().message);
    const Candidate candidate{{}, source};
    const auto prepared = (*session)->Prepare(candidate);
    if (!prepared) GiveUp(prepared.error().message);
    const auto run = (*session)->Run(
        {Arm::kCandidate, candidate, seed, 0, std::chrono::milliseconds{60'000}, {}, {}});
    if (!run) GiveUp(run.error().message);
    if (run->outcome != Outcome::kAccepted) GiveUp(run->reason);
    const std::chrono::duration<double, std::milli> whole =
        std::chrono::steady_clock::now() - began;
    Judgement judgement{run->sample.metrics.at("time").value,
                        run->sample.metrics.at("speedup").value, whole.count()};
    const Json times = FindJsonEvidence(run->evidence, "times");
    if (!times.is_null()) {
      judgement.disturbed = times["disturbed"].get<std::int64_t>();
      judgement.is_unstable = times["restless"].get<bool>();
    }
    return judgement;
  }

 private:
  TempDir folder_;
  DomainEntry entry_;
  std::unique_ptr<Domain> domain_;
};

bool Report(const char* what, double found, double bar, const char* unit, bool holds) {
  fmt::print("{:<60} {:>9.3f} {} (bar {})  {}\n", what, found, unit, bar,
             holds ? "holds" : "FAILS");
  return holds;
}

int Compare(bool is_quick) {
  const int rounds = is_quick ? 10 : 30;
  Judge judge("matmul");
  const std::string plain = Kernel(0);
  const std::string slower = Kernel(100);
  judge.Once(plain, 1000);
  judge.Once(slower, 1000);
  std::vector<double> times;  // Of the evaluations that say that the machine was quiet.
  std::vector<double> all_times;
  std::vector<double> log_ratios;
  times.reserve(static_cast<std::size_t>(rounds));
  log_ratios.reserve(static_cast<std::size_t>(rounds));
  std::int64_t disturbed = 0;
  for (int i = 0; i < rounds; ++i) {
    const Judgement first = judge.Once(plain, static_cast<std::uint64_t>(i));
    const Judgement second = judge.Once(slower, static_cast<std::uint64_t>(i));
    all_times.push_back(first.time_ms);
    if (!first.is_unstable) times.push_back(first.time_ms);
    log_ratios.push_back(std::log(first.speedup / second.speedup));
    disturbed += first.disturbed + second.disturbed;
  }
  const PairedTest told = TestPairs(log_ratios);
  Judge trivial("matmul_small");
  for (std::uint64_t i = 0; i < 3; ++i) trivial.Once(kTrivial, 1000 + i);
  std::vector<double> whole;
  whole.reserve(static_cast<std::size_t>(rounds));
  for (int i = 0; i < rounds; ++i) {
    whole.push_back(trivial.Once(kTrivial, static_cast<std::uint64_t>(i)).whole_ms);
  }
  const auto variation_of = [](const std::vector<double>& values) {
    return StandardDeviation(values) / Mean(values);
  };
  const bool is_quiet = 3 * times.size() >= 2 * all_times.size();
  fmt::print(
      "{} evaluations of each; {} disturbed calls; {} evaluations say that the machine did "
      "not come to rest\n",
      rounds, disturbed, all_times.size() - times.size());
  fmt::print("variation with those too: {:.3f} %\n", 100 * variation_of(all_times));
  const double variation = is_quiet ? variation_of(times) : variation_of(all_times);
  bool holds = Report("variation of the reported median of the same kernel", 100 * variation,
                      100 * kMaxVariation, "%", variation < kMaxVariation);
  holds &= Report("a tenth more work: measured difference", 100 * (std::exp(told.effect) - 1), 0,
                  "%", told.interval.low > 0);
  fmt::print("  its 95 % interval: {:.2f} % to {:.2f} %\n", 100 * (std::exp(told.interval.low) - 1),
             100 * (std::exp(told.interval.high) - 1));
  holds &= Report("trivial kernel, warm caches, whole evaluation, median", Median(whole), kMaxMs,
                  "ms", Median(whole) < kMaxMs);
  fmt::print("judging: {}\n", holds ? "holds" : "falls short");
  return holds ? 0 : 1;
}

}  // namespace

int BenchmarkMain(int argc, char** argv) {
  return Compare(argc > 1 && std::string_view(argv[1]) == "--quick");
}

}  // namespace hone
