// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/steady_state.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "hone/measure/drift.h"
#include "hone/measure/statistics.h"

namespace hone {
namespace {

constexpr std::size_t kBatch = 5;          // The 5 of MSER-5.
constexpr std::size_t kFewestBatches = 8;  // With fewer no step can be significant at 1 %.

std::vector<double> BatchMeans(std::span<const double> series) {
  std::vector<double> means;
  for (std::size_t i = 0; i + kBatch <= series.size(); i += kBatch) {
    means.push_back(Mean(series.subspan(i, kBatch)));
  }
  return means;
}

// The number of batches to cut, at most half, so that sum (y - mean)^2 / m^2 over the m that remain
// is smallest. Further on few remain, and those may be alike by chance.
std::size_t BestCut(std::span<const double> batches) {
  std::size_t best = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t cut = 0; cut <= batches.size() / 2; ++cut) {
    const std::span<const double> rest = batches.subspan(cut);
    const auto remaining = static_cast<double>(rest.size());
    const double criterion = Variance(rest) * (remaining - 1) / (remaining * remaining);
    if (criterion < smallest) {
      smallest = criterion;
      best = cut;
    }
  }
  return best;
}

}  // namespace

SteadyState FindSteadyState(std::span<const double> series, SteadyStateRule rule) {
  const std::vector<double> batches = BatchMeans(series);
  SteadyState result;
  if (batches.size() < kFewestBatches) return result;
  result.kind = SteadyState::Kind::kNeverSteady;
  std::size_t cut = BestCut(batches);
  while (cut <= batches.size() / 2) {
    const std::span<const double> rest = std::span(batches).subspan(cut);
    const ChangePoint change = FindChangePoint(rest);
    const double matters = rule.tolerance * std::abs(Median(rest));
    if (change.p_value >= rule.significance || std::abs(change.shift) <= matters) {
      result.kind = SteadyState::Kind::kSteady;
      result.warm_up = static_cast<std::int64_t>(cut * kBatch);
      break;
    }
    cut += static_cast<std::size_t>(change.index);
  }
  return result;
}

}  // namespace hone
