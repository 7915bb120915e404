// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/outliers.h"

#include <algorithm>
#include <cmath>

#include "hone/measure/statistics.h"

namespace hone {
namespace {

// The values whose scores lie beyond `mild`, and how far.
std::vector<Outlier> MarkBeyond(std::span<const double> scores, double mild, double severe) {
  std::vector<Outlier> marks;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double distance = std::abs(scores[i]);
    if (distance <= mild) continue;
    const auto grade = distance > severe ? Outlier::Grade::kSevere : Outlier::Grade::kMild;
    marks.push_back({static_cast<std::int64_t>(i), grade, scores[i]});
  }
  return marks;
}

}  // namespace

std::vector<Outlier> MarkByModifiedZ(std::span<const double> values) {
  const double median = Median(values);
  double spread = MedianAbsoluteDeviation(values);
  if (spread == 0) spread = MeanAbsoluteDeviation(values);
  if (spread == 0) return {};
  std::vector<double> scores;
  for (const double value : values) scores.push_back((value - median) / spread);
  return MarkBeyond(scores, 3.5, 7);
}

}  // namespace hone
