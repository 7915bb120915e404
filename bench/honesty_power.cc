// SPDX-License-Identifier: Apache-2.0
#include "bench/honesty_power.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <utility>

#include "bench/beyond_chance.h"
#include "bench/simulated_campaign.h"
#include "hone/core/check.h"
#include "hone/domains/toy/toy_surface.h"
#include "hone/tune/campaign/campaign_power.h"

namespace hone {
namespace {

constexpr double kMaxWrong = 0.10;
constexpr std::uint64_t kFirstPowerSeed = 9000;

struct PowerCase {
  std::string surface;
  double gain = 0;
  double noise = 0;
  int candidates = 0;
};

SimulatedCampaign PowerCampaign(const PowerCase& given, const toy::Surface& surface,
                                std::uint64_t seed) {
  SimulatedCampaign campaign;
  campaign.space = surface.space();
  campaign.truth = [&surface](const Assignment& assignment) {
    const toy::Truth truth = surface.At(assignment);
    if (truth.is_crash) return std::map<std::string, double>();
    return std::map<std::string, double>{{"throughput", truth.throughput},
                                         {"latency_ms", truth.latency_ms}};
  };
  campaign.noise = given.noise;
  campaign.spec.domain = "simulated";
  campaign.spec.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  campaign.spec.seed = seed;
  campaign.spec.search.max_trials = given.candidates;
  campaign.spec.proof.has_ablation = false;
  return campaign;
}

int CountGains(const PowerCase& given, const toy::Surface& surface, int campaigns) {
  std::atomic<int> claims = 0;
  ForEachAtOnce(campaigns, [&](int i) {
    const auto campaign =
        PowerCampaign(given, surface, kFirstPowerSeed + static_cast<std::uint64_t>(i));
    claims += Simulate(campaign).verdict.kind == tune::Verdict::Kind::kGain ? 1 : 0;
  });
  return claims;
}

std::vector<PowerCase> PowerCases(const PowerCheck& check) {
  std::vector<std::string> surfaces = check.surfaces;
  if (surfaces.empty()) surfaces = toy::SurfaceNames();
  std::erase(surfaces, "flat");  // It has no optimum to find.
  std::vector<PowerCase> cases;
  for (const int candidates : check.candidates) {
    for (const std::string& surface : surfaces) {
      for (const auto& [gain, noise] :
           {std::pair{0.028, 0.05}, {0.05, 0.05}, {0.05, 0.02}, {0.10, 0.10}}) {
        cases.push_back({surface, gain, noise, candidates});
      }
    }
  }
  return cases;
}

// Whether what was claimed agrees with what is named.
bool CheckRow(const PowerCase& given, int campaigns) {
  const auto surface = toy::Surface::Make(given.surface, given.gain);
  HONE_CHECK(surface.has_value());
  const int claims = CountGains(given, *surface, campaigns);
  const auto parameters = static_cast<std::int64_t>(surface->space().parameters().size());
  const auto named = tune::ChanceToFind(
      {given.candidates, parameters, std::sqrt(2.0) * given.noise}, std::log1p(given.gain));
  HONE_CHECK(named.has_value());
  const double share = static_cast<double>(claims) / campaigns;
  const double nearest = std::clamp(share, std::max(0.0, named->low - kMaxWrong),
                                    std::min(1.0, named->high + kMaxWrong));
  const bool is_right = share == nearest || ChanceOfSuch(claims, campaigns, nearest) >= kByChance;
  fmt::print("{:<14} {:>10} {:>6.1f} % {:>6.0f} % {:>10.0f} % {:>7.0f} to {:>3.0f} %  {}\n",
             given.surface, given.candidates, 100 * given.gain, 100 * given.noise, 100 * share,
             100 * named->low, 100 * named->high, is_right ? "" : "wrong");
  std::fflush(stdout);
  return is_right;
}

}  // namespace

bool CheckPowerLine(const PowerCheck& check) {
  fmt::print("\nThe power of whole campaigns: {} each\n", check.campaigns);
  fmt::print("{:<14} {:>10} {:>8} {:>8} {:>12} {:>16}\n", "surface", "candidates", "optimum",
             "noise", "gain claimed", "as was named");
  bool holds = true;
  for (const PowerCase& given : PowerCases(check)) {
    holds = CheckRow(given, check.campaigns) && holds;
  }
  fmt::print(
      "wrong: more than {:.0f} points outside of what was named, and by more than chance does in 1 "
      "of 100 rows, which with {} campaigns is up to {:.0f} points more\n",
      100 * kMaxWrong, check.campaigns, 100 * RoomForChance(0.5, check.campaigns));
  return holds;
}

}  // namespace hone
