// SPDX-License-Identifier: Apache-2.0
// Simulated campaigns whose truth is known: how often a gain is claimed that is not there, how
// often one is found that is, and how often the interval covers the truth. `bench/honesty` runs it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "bench/beyond_chance.h"
#include "bench/honesty_calibration.h"
#include "bench/honesty_power.h"
#include "bench/honesty_sentences.h"
#include "bench/simulated_campaign.h"
#include "hone/base/clock.h"
#include "hone/core/check.h"
#include "hone/domains/toy/toy_domain.h"
#include "hone/domains/toy/toy_surface.h"
#include "hone/eval/queue/memory_queue.h"
#include "hone/eval/worker/run_watch.h"
#include "hone/eval/worker/worker_pool.h"
#include "hone/measure/distributions.h"
#include "hone/tune/campaign/campaign.h"
#include "hone/tune/proposers/bayes.h"

namespace hone {
namespace {

constexpr double kMaxFalseClaims = 0.05;
constexpr double kMinTrueClaims = 0.90;
constexpr double kCoverage = 0.95;  // As the interval promises.

// One kind of campaign, run many times with different seeds.
struct Setting {
  std::string name;
  std::string surface;
  std::string gain;
  Options noise;
};

struct Tally {
  int campaigns = 0;
  int claims = 0;
  int naive_claims = 0;  // What the best observed candidate of the search would have claimed.
  int intervals = 0;     // Campaigns whose winner was proven, so that there is an interval.
  int covered = 0;
  std::vector<double> found;  // True gains of what was claimed.

  void Add(const Tally& other) {
    campaigns += other.campaigns;
    claims += other.claims;
    naive_claims += other.naive_claims;
    intervals += other.intervals;
    covered += other.covered;
    found.insert(found.end(), other.found.begin(), other.found.end());
  }
};

// The simulated machine is quiet.
class NoWatch final : public RunWatch {
 public:
  std::map<std::string, std::string> Facts() const override { return {}; }
  void Begin() override {}
  std::vector<std::string> End() override { return {}; }
};

tune::CampaignSpec SpecFor(const Setting& setting, std::uint64_t seed) {
  tune::CampaignSpec spec;
  spec.domain = "toy";
  spec.options = setting.noise;
  spec.options["surface"] = setting.surface;
  spec.options["gain"] = setting.gain;
  spec.options["seed"] = std::to_string(seed);
  spec.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  spec.seed = seed;
  return spec;
}

Result<tune::Verdict> RunOne(const tune::CampaignSpec& spec, const toy::Surface& surface,
                             tune::Ledger& ledger) {
  auto queue = MakeMemoryQueue(SystemClock());
  WorkerPool::Settings settings;
  settings.worker.name = "honesty";
  settings.worker.serves = {"sim"};
  settings.make_watch = [] { return std::make_unique<NoWatch>(); };
  WorkerPool pool(*queue, SystemClock(), {{"toy", ToyDomainEntry()}}, settings);

  const Candidate baseline{surface.space().Defaults(), ""};
  auto proposer = tune::MakeBayes(
      {surface.space(), baseline, spec.seed, spec.search.max_trials, false, spec.search.options});
  if (!proposer) return proposer.error();
  return tune::RunCampaign(
      {"sim", spec, surface.space(), baseline, {}, **proposer, *queue, ledger, nullptr, {}, {}});
}

// Whether the best candidate that the search saw lies above the baseline by its own interval: how
// tuners report that do not measure their winner again.
bool WouldClaimBestObserved(const tune::Ledger& ledger) {
  double best = -1;
  bool would_claim = false;
  for (const tune::Decision& decision : ledger.decisions()) {
    const auto race = tune::ReadRace(decision);
    if (!race || race->reward.mean <= best) continue;
    best = race->reward.mean;
    would_claim = best - kErrorsOf95 * race->reward.standard_error > 0;
  }
  return would_claim;
}

Tally SimulateReal(const Setting& setting, std::uint64_t seed) {
  const auto surface = toy::Surface::Make(setting.surface, std::atof(setting.gain.c_str()));
  HONE_CHECK(surface.has_value());
  tune::Ledger ledger;
  const auto verdict = RunOne(SpecFor(setting, seed), *surface, ledger);
  if (!verdict) {
    fmt::print(stderr, "honesty: {}: {}\n", setting.name, verdict.error().message);
    std::exit(3);
  }
  Tally tally;
  tally.campaigns = 1;
  tally.naive_claims = WouldClaimBestObserved(ledger) ? 1 : 0;
  if (!verdict->proof || !verdict->proof->reward.interval.IsBounded()) return tally;
  const double truth = toy::TrueLogGain(*surface, verdict->proof->candidate.assignment);
  tally.intervals = 1;
  tally.covered = verdict->proof->reward.interval.Contains(truth) ? 1 : 0;
  if (verdict->kind == tune::Verdict::Kind::kGain) {
    tally.claims = 1;
    tally.found.push_back(truth);
  }
  return tally;
}

Tally SimulateMany(const Setting& setting, int count) {
  std::vector<Tally> tallies(static_cast<std::size_t>(count));
  ForEachAtOnce(count, [&](int i) {
    tallies[static_cast<std::size_t>(i)] =
        SimulateReal(setting, 1000 + static_cast<std::uint64_t>(i));
  });
  Tally sum;
  for (const Tally& tally : tallies) sum.Add(tally);
  return sum;
}

double Share(int part, int whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Tally RunTable(const char* title, const std::vector<Setting>& settings, int count_each) {
  fmt::print("\n{}\n{:<26} {:>9} {:>16} {:>14} {:>18} {:>12}\n", title, "setting", "campaigns",
             "gain claimed", "best observed*", "interval covers", "median gain");
  Tally sum;
  for (const Setting& setting : settings) {
    Tally tally = SimulateMany(setting, count_each);
    sum.Add(tally);
    std::sort(tally.found.begin(), tally.found.end());
    const std::string found =
        tally.found.empty()
            ? "-"
            : fmt::format("{:+.1f} %", 100 * std::expm1(tally.found[tally.found.size() / 2]));
    fmt::print("{:<26} {:>9} {:>7} ({:>5.1f} %) {:>12.1f} % {:>8} ({:>5.1f} %) {:>12}\n",
               setting.name, tally.campaigns, tally.claims,
               100 * Share(tally.claims, tally.campaigns),
               100 * Share(tally.naive_claims, tally.campaigns),
               fmt::format("{}/{}", tally.covered, tally.intervals),
               100 * Share(tally.covered, tally.intervals), found);
    std::fflush(stdout);
  }
  return sum;
}

std::vector<Setting> NullSettings() {
  std::vector<Setting> settings;
  for (const char* noise : {"0.02", "0.05", "0.10"}) {
    const std::string size = fmt::format("noise {:.0f} %", 100 * std::atof(noise));
    settings.push_back({size, "flat", "0", {{"noise", noise}}});
    settings.push_back(
        {size + ", drift", "flat", "0", {{"noise", noise}, {"drift", "0.10"}, {"wander", "0.05"}}});
    settings.push_back(
        {size + ", heavy tails", "flat", "0", {{"noise", noise}, {"shape", "student3"}}});
    settings.push_back({size + ", spikes, drift",
                        "flat",
                        "0",
                        {{"noise", noise}, {"shape", "lognormal-spikes"}, {"drift", "0.10"}}});
  }
  return settings;
}

std::vector<Setting> GainSettings() {
  std::vector<Setting> settings;
  for (const char* surface : {"smooth", "categorical", "constrained", "mixed", "sparse"}) {
    settings.push_back({surface, surface, "0.10", {{"noise", "0.05"}}});
  }
  settings.push_back({"smooth, drift", "smooth", "0.10", {{"noise", "0.05"}, {"drift", "0.10"}}});
  settings.push_back(
      {"smooth, heavy tails", "smooth", "0.10", {{"noise", "0.05"}, {"shape", "student3"}}});
  return settings;
}

// False gains, true gains, and whether intervals cover the truth.
bool CheckGains(int count) {
  const auto nulls = NullSettings();
  const auto gains = GainSettings();
  const auto each = [&](const auto& settings) {
    const auto kinds = static_cast<int>(settings.size());
    return (count + kinds - 1) / kinds;
  };
  const Tally null = RunTable("No true effect", nulls, each(nulls));
  const Tally gain = RunTable("A true optimum of +10 %, noise 5 %", gains, each(gains));
  const double false_claims = Share(null.claims, null.campaigns);
  const double true_claims = Share(gain.claims, gain.campaigns);
  fmt::print(
      "\n* what the best observed candidate would have claimed, had it not been measured again\n"
      "false gains {}/{} ({:.1f} %, at most {:.0f}), true gains {}/{} ({:.1f} %, at least {:.0f}), "
      "intervals that cover the truth {}/{} ({:.1f} %, at least {:.0f}, or less by chance)\n",
      null.claims, null.campaigns, 100 * false_claims, 100 * kMaxFalseClaims, gain.claims,
      gain.campaigns, 100 * true_claims, 100 * kMinTrueClaims, gain.covered, gain.intervals,
      100 * Share(gain.covered, gain.intervals), 100 * kCoverage);
  return false_claims <= kMaxFalseClaims && true_claims >= kMinTrueClaims &&
         !IsShortOf(kCoverage, gain.covered, gain.intervals);
}

// What is asked for; without a part's name, all parts.
struct HonestyPlan {
  bool is_quick = false;
  bool has_gains = false;
  bool has_sentences = false;
  bool has_power = false;
  PowerCheck power{};
  bool has_power_campaigns = false;
  std::string fault;  // Of the command.

  bool HasAll() const { return !has_gains && !has_sentences && !has_power; }
};

constexpr int kCampaigns = 1000;
constexpr int kSentenceCampaigns = 1290;  // 30 of each kind.
constexpr int kQuickCampaigns = 84;
constexpr int kQuickPowerCampaigns = 4;

std::vector<int> NumbersIn(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');)
    numbers.push_back(std::atoi(word.c_str()));
  return numbers;
}

HonestyPlan ReadPlan(const std::vector<std::string>& arguments) {
  HonestyPlan plan;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--quick") {
      plan.is_quick = true;
    } else if (word == "--gains") {
      plan.has_gains = true;
    } else if (word == "--sentences") {
      plan.has_sentences = true;
    } else if (word == "--power") {
      plan.has_power = true;
    } else if (word == "--candidates" && i + 1 < arguments.size()) {
      plan.power.candidates = NumbersIn(arguments[++i]);
    } else if (plan.has_power && std::atoi(word.c_str()) > 0) {
      plan.power.campaigns = std::atoi(word.c_str());
      plan.has_power_campaigns = true;
    } else if (plan.has_power && std::ranges::count(toy::SurfaceNames(), word) > 0) {
      plan.power.surfaces.push_back(word);
    } else {
      plan.fault = word;
    }
  }
  if (plan.is_quick && !plan.has_power_campaigns) plan.power.campaigns = kQuickPowerCampaigns;
  return plan;
}

int RunPlan(const HonestyPlan& plan) {
  std::vector<std::string> faults;
  const int campaigns = plan.is_quick ? kQuickCampaigns : kCampaigns;
  if (plan.HasAll() || plan.has_gains) {
    if (!CheckGains(campaigns)) faults.emplace_back("gains");
  }
  if (plan.HasAll() || plan.has_sentences) {
    const int of_sentences = plan.is_quick ? kQuickCampaigns : kSentenceCampaigns;
    if (!CheckSentences(of_sentences, plan.is_quick)) faults.emplace_back("sentences");
  }
  if (plan.HasAll() || plan.has_power) {
    if (!CheckPowerLine(plan.power)) faults.emplace_back("power");
  }
  fmt::print("honesty: {}{}\n",
             faults.empty() ? "holds" : "falls short: ", fmt::join(faults, ", "));
  return faults.empty() ? 0 : 1;
}

}  // namespace
}  // namespace hone

// honesty_benchmark [--quick] [--gains] [--sentences] [--power [CAMPAIGNS] [SURFACE...]]
// [--candidates N,...], or --calibrate TABLE KEPT [CLASS...]
int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() >= 3 && arguments[0] == "--calibrate") {
    return hone::Calibrate({.table = arguments[1],
                            .kept = arguments[2],
                            .classes = {arguments.begin() + 3, arguments.end()}});
  }
  const hone::HonestyPlan plan = hone::ReadPlan(arguments);
  if (plan.fault.empty()) return hone::RunPlan(plan);
  fmt::print(stderr, "honesty: {}: not understood; bench/honesty begins with what there is\n",
             plan.fault);
  return 2;
}
