// SPDX-License-Identifier: Apache-2.0
#include "hone/env/run_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

namespace hone::env {
namespace {

constexpr double kMaxChange = 10;

std::optional<double> NumberIn(const Sample& sample, const std::string& name) {
  if (const auto metric = sample.metrics.find(name); metric != sample.metrics.end()) {
    return metric->second.value;
  }
  const auto observation = sample.observations.find(name);
  if (observation == sample.observations.end()) return std::nullopt;
  return observation->second;
}

// Not a number if no run of the arm reports it.
double MeanOf(const std::vector<Sample>& samples, Arm arm, const std::string& name) {
  double sum = 0;
  int count = 0;
  for (const Sample& sample : samples) {
    if (sample.arm != arm) continue;
    if (const auto number = NumberIn(sample, name)) {
      sum += *number;
      ++count;
    }
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / count;
}

double RelativeChange(double from, double to) {
  const double change = (to - from) / std::max(std::abs(from), std::numeric_limits<double>::min());
  return std::isnan(change) ? 0 : std::clamp(change, -kMaxChange, kMaxChange);
}

}  // namespace

RunComparison::RunComparison(const std::vector<Sample>& samples) {
  std::set<std::string> metrics;
  std::set<std::string> observations;
  for (const Sample& sample : samples) {
    for (const auto& [name, reading] : sample.metrics) metrics.insert(name);
    for (const auto& [name, number] : sample.observations) observations.insert(name);
  }
  names_.assign(metrics.begin(), metrics.end());
  for (const std::string& name : observations) {
    if (!metrics.contains(name)) names_.push_back(name);
  }
}

std::vector<double> RunComparison::Compare(const std::vector<Sample>& samples) const {
  std::vector<double> changes;
  changes.reserve(names_.size());
  for (const std::string& name : names_) {
    changes.push_back(RelativeChange(MeanOf(samples, Arm::kBaseline, name),
                                     MeanOf(samples, Arm::kCandidate, name)));
  }
  return changes;
}

}  // namespace hone::env
