// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/wished_values.h"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "hone/core/coordinate.h"

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
    : space_(space), baseline_(baseline), wishes_(space.UnitSize()) {
  std::size_t next = 0;
  for (const Parameter& parameter : space.parameters()) {
    std::vector<std::size_t>& places = places_[parameter.name];
    places.resize(hone::CoordinatesOf(parameter));
    for (std::size_t& place : places) place = next++;
  }
}

std::vector<std::size_t> WishedValues::CoordinatesOf(const std::set<std::string>& names) const {
  std::vector<std::size_t> coordinates;
  for (const std::string& name : names) {
    const auto& places = places_.at(name);
    coordinates.insert(coordinates.end(), places.begin(), places.end());
  }
  return coordinates;
}

void WishedValues::Note(const Proposal& proposal) {
  const std::vector<double> wish = space_.ToUnit(proposal.assignment);
  for (const std::size_t i : CoordinatesOf(proposal.set)) {
    wishes_[i].push_back(wish[i]);
    if (wishes_[i].size() > kMaxKept) wishes_[i].erase(wishes_[i].begin());
  }
}

double WishedValues::LogLikeness(const Assignment& assignment) const {
  const std::vector<double> at = space_.ToUnit(assignment);
  double sum = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (!wishes_[i].empty()) sum += std::log(LikenessOf(wishes_[i], at[i]));
  }
  return sum;
}

Assignment WishedValues::Filled(const Proposal& proposal, std::vector<double> unit) const {
  const std::vector<double> wish = space_.ToUnit(proposal.assignment);
  for (const std::size_t i : CoordinatesOf(proposal.set)) unit[i] = wish[i];
  return space_.FromUnit(unit);
}

Assignment WishedValues::Unmoved(const Proposal& proposal, const Assignment& asked,
                                 std::vector<double> unit) const {
  const std::vector<double> before = space_.ToUnit(baseline_);
  for (const std::size_t i : CoordinatesOf(proposal.set)) unit[i] = before[i];
  const Assignment near = space_.FromUnit(unit);
  // The unit cube has no place for what is in force outside of a range.
  Assignment unmoved = near;
  for (auto& [name, value] : unmoved) {
    const Assignment& source = proposal.set.contains(name) ? baseline_ : asked;
    if (const auto exact = source.find(name); exact != source.end()) value = exact->second;
  }
  return space_.Validate(unmoved) ? unmoved : near;
}

}  // namespace hone::agent
