// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/wished_values.h"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace hone::agent {
namespace {

constexpr std::size_t kMaxKept = 30;  // Of a coordinate: what a model thought long ago is over.
constexpr double kWidth = 0.1;        // Of a wish, in unit coordinates.
constexpr double kShare = 0.7;        // Of what is wished for; the rest is chance.

double Density(double distance) {
  const double z = distance / kWidth;
  return std::exp(-z * z / 2) / (kWidth * std::sqrt(2 * std::numbers::pi));
}

double LikenessOf(const std::vector<double>& wishes, double at) {
  double sum = 0;
  for (const double wish : wishes) sum += Density(at - wish);
  return 1 - kShare + kShare * sum / static_cast<double>(wishes.size());
}

}  // namespace

WishedValues::WishedValues(const Space& space, const Assignment& baseline)
    : space_(space), before_(space.ToUnit(baseline)), coordinates_(space.UnitSize()) {}

void WishedValues::Note(const Assignment& proposed) {
  const std::vector<double> wish = space_.ToUnit(proposed);
  for (std::size_t i = 0; i < wish.size(); ++i) {
    if (wish[i] == before_[i]) continue;
    coordinates_[i].push_back(wish[i]);
    if (coordinates_[i].size() > kMaxKept) coordinates_[i].erase(coordinates_[i].begin());
  }
}

double WishedValues::LogLikeness(const Assignment& assignment) const {
  const std::vector<double> at = space_.ToUnit(assignment);
  double sum = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (!coordinates_[i].empty()) sum += std::log(LikenessOf(coordinates_[i], at[i]));
  }
  return sum;
}

Assignment WishedValues::Filled(const Assignment& proposed, const Assignment& others) const {
  const std::vector<double> wish = space_.ToUnit(proposed);
  std::vector<double> unit = space_.ToUnit(others);
  for (std::size_t i = 0; i < unit.size(); ++i) {
    if (wish[i] != before_[i]) unit[i] = wish[i];
  }
  return space_.FromUnit(unit);
}

}  // namespace hone::agent
