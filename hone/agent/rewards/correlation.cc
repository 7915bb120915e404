// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hone/core/check.h"
#include "hone/core/rng.h"
#include "hone/measure/distributions.h"

namespace hone::agent {
namespace {

// Sums of squares do not tell: rounding leaves something even where all values are one.
bool IsConstant(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&values](double value) { return value == values.front(); });
}

std::optional<double> PlainPearson(const std::vector<double>& x, const std::vector<double>& y) {
  if (IsConstant(x) || IsConstant(y)) return std::nullopt;
  const auto count = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / count;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / count;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (!(xx > 0) || !(yy > 0)) return std::nullopt;
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

std::optional<double> PlainSpearman(const std::vector<double>& x, const std::vector<double>& y) {
  return PlainPearson(RanksOf(x), RanksOf(y));
}

using PlainCorrelation = std::optional<double> (*)(const std::vector<double>&,
                                                   const std::vector<double>&);

void AddFisher(Correlation& correlation, double standard_error) {
  // A perfect correlation has no finite z; this is as near as doubles need.
  const double z = std::atanh(std::clamp(correlation.value, -1 + 1e-12, 1 - 1e-12));
  const double reach = kErrorsOf95 * standard_error;
  correlation.fisher_low = std::tanh(z - reach);
  correlation.fisher_high = std::tanh(z + reach);
}

// A resample in which a list is constant says nothing and counts as 0.
void AddBootstrap(Correlation& correlation, const std::vector<double>& x,
                  const std::vector<double>& y, PlainCorrelation plain, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> found;
  std::vector<double> drawn_x(x.size());
  std::vector<double> drawn_y(y.size());
  for (std::int64_t k = 0; k < kResamples; ++k) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t pick = rng.Below(x.size());
      drawn_x[i] = x[pick];
      drawn_y[i] = y[pick];
    }
    found.push_back(plain(drawn_x, drawn_y).value_or(0));
  }
  std::sort(found.begin(), found.end());
  const auto at = [&found](double share) {
    return found[static_cast<std::size_t>(share * static_cast<double>(found.size() - 1))];
  };
  correlation.bootstrap_low = at(0.025);
  correlation.bootstrap_high = at(0.975);
}

}  // namespace

std::vector<double> RanksOf(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&values](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double rank = static_cast<double>(first + end + 1) / 2;
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = rank;
    first = end;
  }
  return ranks;
}

std::optional<Correlation> PearsonCorrelation(const std::vector<double>& x,
                                              const std::vector<double>& y, std::uint64_t seed) {
  HONE_CHECK(x.size() == y.size());
  if (x.size() < 4) return std::nullopt;
  const auto value = PlainPearson(x, y);
  if (!value) return std::nullopt;
  Correlation correlation;
  correlation.value = *value;
  AddFisher(correlation, 1 / std::sqrt(static_cast<double>(x.size()) - 3));
  AddBootstrap(correlation, x, y, PlainPearson, seed);
  return correlation;
}

std::optional<Correlation> SpearmanCorrelation(const std::vector<double>& x,
                                               const std::vector<double>& y, std::uint64_t seed) {
  HONE_CHECK(x.size() == y.size());
  if (x.size() < 4) return std::nullopt;
  const auto value = PlainSpearman(x, y);
  if (!value) return std::nullopt;
  Correlation correlation;
  correlation.value = *value;
  const double variance = (1 + *value * *value / 2) / (static_cast<double>(x.size()) - 3);
  AddFisher(correlation, std::sqrt(variance));
  AddBootstrap(correlation, x, y, PlainSpearman, seed);
  return correlation;
}

}  // namespace hone::agent
