// SPDX-License-Identifier: Apache-2.0
#include "bench/honesty_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <vector>

#include "bench/power_spaces.h"
#include "bench/simulated_campaign.h"

namespace hone {
namespace {

constexpr std::array<int, 3> kTrials = {8, 15, 40};
constexpr std::array<int, 3> kParameters = {3, 8, 20};
constexpr std::array<double, 5> kRatios = {0.3, 0.6, 1.2, 2.5, 5};  // Optimum over noise of a pair.
constexpr double kPairNoise = 0.05;

struct Curve {
  std::string kind;
  int trials = 0;
  int parameters = 0;

  std::string Text() const { return fmt::format("{} {} {}", kind, trials, parameters); }
  // What its line of the table begins with.
  std::string Beginning() const {
    return fmt::format("{{\"{}\", {}, {}, ", kind, trials, parameters);
  }
};

struct Fit {
  double ceiling = 1;
  double middle = 0;
  double slope = 1;
  double likelihood = -INFINITY;
};

bool ClaimsGain(const Curve& curve, double ratio, std::uint64_t seed) {
  const PowerSpace parameters = MakePowerSpace(curve.kind, curve.parameters, seed);
  const double optimum = ratio * kPairNoise;
  SimulatedCampaign campaign;
  campaign.space = parameters.space;
  campaign.truth = [&](const Assignment& assignment) {
    return std::map<std::string, double>{
        {"throughput", 1000 * std::exp(optimum * parameters.score(assignment))}};
  };
  campaign.noise = kPairNoise / std::sqrt(2.0);
  campaign.spec.domain = "simulated";
  campaign.spec.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  campaign.spec.seed = seed;
  campaign.spec.search.max_trials = curve.trials;
  campaign.spec.proof.has_ablation = false;  // It comes after the claim.
  return Simulate(campaign).verdict.kind == tune::Verdict::Kind::kGain;
}

int CountClaims(const Curve& curve, double ratio, int campaigns) {
  std::atomic<int> claims = 0;
  ForEachAtOnce(campaigns, [&](int i) {
    if (ClaimsGain(curve, ratio, 5000 + static_cast<std::uint64_t>(i))) ++claims;
  });
  return claims;
}

// The most likely curve, of a fine grid of them.
Fit FitTo(const std::vector<int>& claims, int campaigns) {
  Fit best;
  for (double ceiling = 0.05; ceiling < 1.001; ceiling += 0.05) {
    for (double middle = -3; middle <= 3; middle += 0.05) {
      for (const double slope : {0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 6.0}) {
        Fit fit{ceiling, middle, slope, 0};
        for (std::size_t i = 0; i < claims.size(); ++i) {
          const double chance = std::clamp(
              ceiling / (1 + std::exp(-slope * (std::log(kRatios.at(i)) - middle))), 0.002, 0.998);
          fit.likelihood +=
              claims[i] * std::log(chance) + (campaigns - claims[i]) * std::log(1 - chance);
        }
        if (fit.likelihood > best.likelihood) best = fit;
      }
    }
  }
  return best;
}

// "smooth 40 8 1.2 24" to the number of claims.
std::map<std::string, int> ReadKept(const std::filesystem::path& file) {
  std::map<std::string, int> kept;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto at = line.rfind(' ');
    if (at != std::string::npos) kept[line.substr(0, at)] = std::atoi(line.c_str() + at + 1);
  }
  return kept;
}

std::string LineOf(const std::filesystem::path& table, const Curve& curve) {
  std::ifstream in(table);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(curve.Beginning())) return line + "\n";
  }
  fmt::print(stderr, "honesty: {} has no line of {}: calibrate all\n", table.string(),
             curve.Text());
  std::exit(3);
}

std::vector<Curve> Curves() {
  std::vector<Curve> curves;
  for (const std::string& kind : PowerClasses()) {
    for (const int trials : kTrials) {
      for (const int parameters : kParameters) curves.push_back({kind, trials, parameters});
    }
  }
  return curves;
}

}  // namespace

int Calibrate(const CalibrationPlan& plan) {
  std::filesystem::create_directories(plan.kept.parent_path());
  auto kept = ReadKept(plan.kept);
  std::ofstream keep(plan.kept, std::ios::app);
  std::string table =
      "// Made by `bench/honesty --calibrate`, by so many simulated campaigns for each of five\n"
      "// points of a curve.\n// kind, candidates, parameters, ceiling, middle, slope\n";
  fmt::print("{:<14} {:>10} {:>10}   gain claimed of {} at an optimum of … times the noise\n", "",
             "candidates", "parameters", plan.campaigns);
  fmt::print("{:<36} {:>7} {:>7} {:>7} {:>7} {:>7}\n", "", 0.3, 0.6, 1.2, 2.5, 5.0);
  for (const Curve& curve : Curves()) {
    if (!plan.classes.empty() &&
        std::ranges::find(plan.classes, curve.kind) == plan.classes.end()) {
      table += LineOf(plan.table, curve);
      continue;
    }
    std::vector<int> claims;
    for (const double ratio : kRatios) {
      const std::string key = fmt::format("{} {} {}", curve.Text(), ratio, plan.campaigns);
      if (!kept.contains(key)) {
        kept[key] = CountClaims(curve, ratio, plan.campaigns);
        keep << key << ' ' << kept[key] << std::endl;  // A power cut loses one point.
      }
      claims.push_back(kept[key]);
    }
    const Fit fit = FitTo(claims, plan.campaigns);
    table += curve.Beginning() + fmt::format("{:.2f}, {:.2f}, {:.1f}}},  // {} campaigns\n",
                                             fit.ceiling, fit.middle, fit.slope, plan.campaigns);
    fmt::print("{:<14} {:>10} {:>10} {:>8} {:>7} {:>7} {:>7} {:>7}\n", curve.kind, curve.trials,
               curve.parameters, claims[0], claims[1], claims[2], claims[3], claims[4]);
    std::fflush(stdout);
  }
  std::ofstream(plan.table) << table;
  fmt::print("honesty: the table is in {}\n", plan.table.string());
  return 0;
}

}  // namespace hone
