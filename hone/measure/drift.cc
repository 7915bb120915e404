// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/drift.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "hone/core/check.h"
#include "hone/measure/distributions.h"
#include "hone/measure/statistics.h"

namespace hone {
namespace {

constexpr std::size_t kMaxExactTrend = 50;

// Kendall's S: pairs in rising order, less those in falling order.
std::int64_t CountOrders(std::span<const double> values) {
  std::int64_t score = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      score += (values[j] > values[i]) - (values[j] < values[i]);
    }
  }
  return score;
}

std::vector<double> TieSizes(std::span<const double> values) {
  const std::vector<double> sorted = Sorted(values);
  std::vector<double> sizes;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    sizes.push_back(static_cast<double>(end - begin));
  }
  return sizes;
}

// The chance of |S| or more over all orders of n distinct values, from the number of inversions:
// the k-th value can be passed by 0 … k - 1 earlier ones, each with the same chance.
double ExactTrendP(std::size_t n, std::int64_t score) {
  const std::size_t pairs = n * (n - 1) / 2;
  std::vector<double> chance(pairs + 1, 0.0);
  chance[0] = 1;
  for (std::size_t k = 2; k <= n; ++k) {
    const std::size_t reach = k * (k - 1) / 2;
    std::vector<double> next(pairs + 1, 0.0);
    double window = 0;
    for (std::size_t s = 0; s <= reach; ++s) {
      window += chance[s];
      if (s >= k) window -= chance[s - k];
      next[s] = window / static_cast<double>(k);
    }
    chance = std::move(next);
  }
  const auto inversions = (pairs - static_cast<std::size_t>(std::abs(score))) / 2;
  const double tail = std::accumulate(
      chance.begin(), chance.begin() + static_cast<std::ptrdiff_t>(inversions) + 1, 0.0);
  return std::min(1.0, 2 * tail);
}

double NormalTrendP(std::span<const double> ties, double n, std::int64_t score) {
  double variance = n * (n - 1) * (2 * n + 5);
  for (const double size : ties) variance -= size * (size - 1) * (2 * size + 5);
  if (variance <= 0 || score == 0) return 1;
  const double distance = static_cast<double>(std::abs(score)) - 1;
  return std::min(1.0, 2 * NormalCdf(-distance / std::sqrt(variance / 18)));
}

double TrendP(std::span<const double> values) {
  const std::int64_t score = CountOrders(values);
  const std::vector<double> ties = TieSizes(values);
  if (ties.size() == values.size() && values.size() <= kMaxExactTrend) {
    return ExactTrendP(values.size(), score);
  }
  return NormalTrendP(ties, static_cast<double>(values.size()), score);
}

// Ranks from 1, ties at their mean.
std::vector<double> Ranks(std::span<const double> values) {
  const std::vector<double> sorted = Sorted(values);
  std::vector<double> ranks;
  ranks.reserve(values.size());
  for (const double value : values) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    const auto before = static_cast<double>(first - sorted.begin());
    const auto upto = static_cast<double>(last - sorted.begin());
    ranks.push_back((before + 1 + upto) / 2);
  }
  return ranks;
}

}  // namespace

Trend FitTrend(std::span<const double> values) {
  HONE_CHECK(!values.empty());
  Trend trend;
  if (values.size() > 1) {
    std::vector<double> slopes;
    slopes.reserve(values.size() * (values.size() - 1) / 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t j = i + 1; j < values.size(); ++j) {
        slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
      }
    }
    trend.slope = Median(slopes);
    trend.p_value = TrendP(values);
  }
  std::vector<double> intercepts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    intercepts.push_back(values[i] - trend.slope * static_cast<double>(i));
  }
  trend.intercept = Median(intercepts);
  return trend;
}

double Lag1Autocorrelation(std::span<const double> values) {
  HONE_CHECK(!values.empty());
  if (values.size() < 3) return 0;
  const double mean = Mean(values);
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - mean) * (values[i] - mean);
    if (i > 0) products += (values[i] - mean) * (values[i - 1] - mean);
  }
  return squares > 0 ? products / squares : 0;
}

ChangePoint FindChangePoint(std::span<const double> values) {
  const std::vector<double> ranks = Ranks(values);
  const auto n = static_cast<double>(values.size());
  ChangePoint change;
  double farthest = 0;
  double walked = 0;
  for (std::size_t i = 0; i + 1 < ranks.size(); ++i) {
    walked += 2 * ranks[i] - (n + 1);
    if (std::abs(walked) > farthest) {
      farthest = std::abs(walked);
      change.index = static_cast<std::int64_t>(i + 1);
    }
  }
  if (change.index == 0) return change;
  const auto first = static_cast<std::size_t>(change.index);
  change.shift = Median(values.subspan(first)) - Median(values.first(first));
  change.p_value = std::min(1.0, 2 * std::exp(-6 * farthest * farthest / (n * n * n + n * n)));
  return change;
}

}  // namespace hone
