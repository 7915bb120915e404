// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/outliers.h"

#include <cmath>

#include "hone/measure/statistics.h"

namespace hone {
namespace {

void MarkIfBeyond(std::vector<Outlier>& marks, std::size_t index, double score, double mild,
                  double severe) {
  if (std::abs(score) <= mild) return;
  const auto grade = std::abs(score) > severe ? Outlier::Grade::kSevere : Outlier::Grade::kMild;
  marks.push_back({static_cast<std::int64_t>(index), grade, score});
}

}  // namespace

std::vector<Outlier> MarkByModifiedZ(std::span<const double> values) {
  const double median = Median(values);
  double spread = MedianAbsoluteDeviation(values);
  if (spread == 0) spread = MeanAbsoluteDeviation(values);
  std::vector<Outlier> marks;
  if (spread == 0) return marks;
  for (std::size_t i = 0; i < values.size(); ++i) {
    MarkIfBeyond(marks, i, (values[i] - median) / spread, 3.5, 7);
  }
  return marks;
}

std::vector<Outlier> MarkByTukeyFences(std::span<const double> values) {
  const double lower = Quantile(values, 0.25);
  const double upper = Quantile(values, 0.75);
  const double range = upper - lower;
  std::vector<Outlier> marks;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (lower <= values[i] && values[i] <= upper) continue;
    const double outside = values[i] - (values[i] > upper ? upper : lower);
    MarkIfBeyond(marks, i, outside / range, 1.5, 3);
  }
  return marks;
}

}  // namespace hone
