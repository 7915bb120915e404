// SPDX-License-Identifier: Apache-2.0
// Simulated comparisons (hone compare) whose truth is known: how often the interval covers it, and
// how often "better", "worse" and "equal" are said where they are not so. `bench/compare` runs it.
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/beyond_chance.h"
#include "hone/base/clock.h"
#include "hone/core/check.h"
#include "hone/core/rng.h"
#include "hone/domains/toy/toy_domain.h"
#include "hone/domains/toy/toy_surface.h"
#include "hone/eval/queue/memory_queue.h"
#include "hone/eval/worker/run_watch.h"
#include "hone/eval/worker/worker_pool.h"
#include "hone/tune/campaign/campaign.h"
#include "hone/tune/campaign/comparison.h"
#include "hone/tune/proposers/random_search.h"

namespace hone {
namespace {

constexpr double kMinCoverage = 0.93;
constexpr double kMaxWrong = 0.05;  // Of "better" or "worse" where there is no difference.
constexpr double kMinEqual = 0.95;  // Of those of which it is said.

struct Condition {
  std::string name;
  Options noise;
  bool is_null = false;       // B differs from A in name only.
  const char* gain = "0.10";  // Of the optimum over the defaults.
};

struct Tally {
  int comparisons = 0;
  int covered = 0;
  int better = 0;
  int worse = 0;
  int equal = 0;
  int wrong = 0;    // "better" or "worse" with the wrong sign, or where there is no difference.
  int unequal = 0;  // "equal", though they differ by more than the least gain of interest.
  std::int64_t pairs = 0;

  void Add(const Tally& other) {
    comparisons += other.comparisons;
    covered += other.covered;
    better += other.better;
    worse += other.worse;
    equal += other.equal;
    wrong += other.wrong;
    unequal += other.unequal;
    pairs += other.pairs;
  }
};

// The simulated machine is quiet.
class QuietWatch final : public RunWatch {
 public:
  std::map<std::string, std::string> Facts() const override { return {}; }
  void Begin() override {}
  std::vector<std::string> End() override { return {}; }
};

// Two random points; on a flat surface nothing matters.
Candidate RandomPoint(const toy::Surface& surface, Rng rng) {
  std::vector<double> unit(surface.space().UnitSize());
  for (double& coordinate : unit) coordinate = rng.Uniform();
  return {surface.space().FromUnit(unit), ""};
}

tune::CampaignSpec SpecFor(const Condition& condition, const Candidate& b, std::uint64_t seed) {
  tune::CampaignSpec spec;
  spec.domain = "toy";
  spec.options = condition.noise;
  spec.options["surface"] = condition.is_null ? "flat" : "smooth";
  spec.options["gain"] = condition.gain;
  spec.options["seed"] = std::to_string(seed);
  spec.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  spec.seed = seed;
  spec.proof.has_ablation = false;
  spec.comparison = tune::ComparisonSettings{"a", "b", b};
  return spec;
}

Result<tune::Verdict> RunOne(const tune::CampaignSpec& spec, const Space& space,
                             const Candidate& a) {
  auto queue = MakeMemoryQueue(SystemClock());
  WorkerPool::Settings settings;
  settings.worker.name = "compare";
  settings.worker.serves = {"sim"};
  settings.make_watch = [] { return std::make_unique<QuietWatch>(); };
  const WorkerPool pool(*queue, SystemClock(), {{"toy", ToyDomainEntry()}}, settings);
  auto proposer = tune::MakeRandomSearch({space, a, spec.seed, 1, false, {}});
  if (!proposer) return proposer.error();
  tune::Ledger ledger;
  return tune::RunCampaign(
      {"sim", spec, space, a, {}, **proposer, *queue, ledger, nullptr, {}, {}});
}

Tally Simulate(const Condition& condition, std::uint64_t seed) {
  const auto surface =
      toy::Surface::Make(condition.is_null ? "flat" : "smooth", std::atof(condition.gain));
  HONE_CHECK(surface.has_value());
  const Rng rng(seed);
  const Candidate a = RandomPoint(*surface, rng.Split("a"));
  const Candidate b = RandomPoint(*surface, rng.Split("b"));
  const tune::CampaignSpec spec = SpecFor(condition, b, seed);
  const auto verdict = RunOne(spec, surface->space(), a);
  if (!verdict || !verdict->proof) {
    fmt::print(stderr, "compare: {}: {}\n", condition.name,
               verdict ? verdict->reason : verdict.error().message);
    std::exit(3);
  }
  const double truth =
      toy::TrueLogGain(*surface, b.assignment) - toy::TrueLogGain(*surface, a.assignment);
  const tune::Standing standing = tune::StandingOf(spec.proof, *verdict->proof);
  Tally tally;
  tally.comparisons = 1;
  tally.covered = verdict->proof->reward.interval.Contains(truth) ? 1 : 0;
  tally.better = standing == tune::Standing::kBetter ? 1 : 0;
  tally.worse = standing == tune::Standing::kWorse ? 1 : 0;
  tally.equal = standing == tune::Standing::kEqual ? 1 : 0;
  tally.wrong = (tally.better == 1 && truth <= 0) || (tally.worse == 1 && truth >= 0) ? 1 : 0;
  tally.unequal = tally.equal == 1 && std::fabs(truth) > spec.proof.min_gain ? 1 : 0;
  tally.pairs = verdict->proof->reward.count;
  return tally;
}

Tally SimulateMany(const Condition& condition, int count) {
  std::vector<Tally> tallies(static_cast<std::size_t>(count));
  std::atomic<std::size_t> next = 0;
  const Rng seeds = Rng(1).Split(condition.name);
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < std::max(1U, std::thread::hardware_concurrency()); ++t) {
      threads.emplace_back([&] {
        for (std::size_t i = next++; i < tallies.size(); i = next++) {
          tallies[i] = Simulate(condition, seeds.Split(i).Next() >> 1U);
        }
      });
    }
  }
  Tally sum;
  for (const Tally& tally : tallies) sum.Add(tally);
  return sum;
}

double Share(int part, int whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::vector<Condition> ConditionsAt(const char* noise) {
  const std::string size = fmt::format("noise {:.0f} %", 100 * std::atof(noise));
  return {
      {size, {{"noise", noise}}},
      {size + ", drift", {{"noise", noise}, {"drift", "0.10"}, {"wander", "0.05"}}},
      {size + ", heavy tails", {{"noise", noise}, {"shape", "student3"}}},
      {size + ", spikes, drift",
       {{"noise", noise}, {"shape", "lognormal-spikes"}, {"drift", "0.10"}}},
      {size + ", small difference", {{"noise", noise}}, false, "0.02"},
      {size + ", no difference", {{"noise", noise}}, true},
  };
}

void PrintRow(const std::string& name, const Tally& tally) {
  fmt::print(
      "{:<28} {:>11} {:>8} {:>16} {:>7} {:>7} {:>7} {:>7} {:>8}\n", name, tally.comparisons,
      tally.pairs / std::max(1, tally.comparisons),
      fmt::format("{} ({:.1f} %)", tally.covered, 100 * Share(tally.covered, tally.comparisons)),
      tally.better, tally.worse, tally.equal, tally.wrong, tally.unequal);
  std::fflush(stdout);
}

// Adds what was said at this noise. What falls short there; empty if nothing does.
std::string RunNoise(const char* noise, int count, Tally& all) {
  const auto conditions = ConditionsAt(noise);
  const auto kinds = static_cast<int>(conditions.size());
  Tally sum;
  Tally null;
  for (const Condition& condition : conditions) {
    const Tally tally = SimulateMany(condition, (count + kinds - 1) / kinds);
    PrintRow(condition.name, tally);
    sum.Add(tally);
    if (condition.is_null) null.Add(tally);
  }
  const double coverage = Share(sum.covered, sum.comparisons);
  const double wrong = Share(null.wrong, null.comparisons);
  PrintRow(fmt::format("all at {:.0f} %", 100 * std::atof(noise)), sum);
  all.Add(sum);
  std::string faults;
  if (coverage < kMinCoverage) {
    faults += fmt::format(" coverage {:.1f} % at noise {};", 100 * coverage, noise);
  }
  if (IsShortOf(1 - kMaxWrong, null.comparisons - null.wrong, null.comparisons)) {
    faults += fmt::format(" {:.1f} % false answers at noise {};", 100 * wrong, noise);
  }
  return faults;
}

int RunAll(int count) {
  fmt::print("{:<28} {:>11} {:>8} {:>16} {:>7} {:>7} {:>7} {:>7} {:>8}\n", "condition",
             "comparisons", "pairs", "interval covers", "better", "worse", "equal", "wrong",
             "unequal");
  std::string faults;
  Tally all;
  for (const char* noise : {"0.02", "0.05", "0.10"}) faults += RunNoise(noise, count, all);
  fmt::print("equal within 1 %: said {} times, true {} times (at least {:.0f} %)\n", all.equal,
             all.equal - all.unequal, 100 * kMinEqual);
  if (all.equal == 0 || all.equal - all.unequal < kMinEqual * all.equal) {
    faults += fmt::format(" {} of {} equals are not so;", all.unequal, all.equal);
  }
  if (!faults.empty()) faults.pop_back();
  fmt::print("compare: {}{}\n", faults.empty() ? "holds" : "falls short:", faults);
  return faults.empty() ? 0 : 1;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  constexpr int kComparisons = 1000;
  constexpr int kQuickComparisons = 200;
  const bool is_quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  return hone::RunAll(is_quick ? kQuickComparisons : kComparisons);
}
