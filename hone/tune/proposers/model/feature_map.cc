// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/feature_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <variant>

#include "hone/core/coordinate.h"

namespace hone::tune {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

const double kChoiceAxis = std::sqrt(0.5);  // Two such axes are at distance 1.
constexpr double kMiddle = 0.5;

bool LiesOutside(const Parameter& parameter, const Value& value) {
  if (Space::IsSpecial(parameter, value)) return false;
  if (const auto* range = std::get_if<IntegerRange>(&parameter.kind)) {
    const auto number = std::get<std::int64_t>(value);
    return number < range->low || number > range->high;
  }
  if (const auto* range = std::get_if<RealRange>(&parameter.kind)) {
    const auto number = std::get<double>(value);
    return number < range->low || number > range->high;
  }
  return false;
}

Index CoordinatesOfKind(const Kind& kind) {
  if (const auto* category = std::get_if<Category>(&kind)) {
    return static_cast<Index>(category->choices.size());
  }
  if (const auto* tuple = std::get_if<OrderedTuple>(&kind)) return static_cast<Index>(tuple->arity);
  return 1;
}

}  // namespace

FeatureMap::FeatureMap(const Space& space) : space_(space) {
  int group = -1;
  for (const Parameter& parameter : space.parameters()) {
    Axes axes{.first = static_cast<Index>(groups_.size()),
              .coordinates = CoordinatesOfKind(parameter.kind),
              .specials = static_cast<Index>(parameter.specials.size()),
              .has_outside_default = LiesOutside(parameter, parameter.default_value)};
    if (axes.has_outside_default) ++axes.specials;
    const bool is_category = std::holds_alternative<Category>(parameter.kind);
    for (Index k = 0; k < axes.coordinates; ++k) {
      if (k == 0 || !is_category) ++group;
      groups_.push_back(group);
    }
    if (axes.specials > 0) ++group;
    groups_.insert(groups_.end(), static_cast<std::size_t>(axes.specials), group);
    axes_.push_back(axes);
  }
  absent_ = VectorXd::Zero(static_cast<Index>(groups_.size()));
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const bool is_category = std::holds_alternative<Category>(space.parameters()[i].kind);
    if (!is_category) absent_.segment(axes_[i].first, axes_[i].coordinates).setConstant(kMiddle);
  }
}

VectorXd FeatureMap::EncodeOne(const Parameter& parameter, const Axes& axes, const Value& value,
                               const double* unit) const {
  VectorXd features = absent_.segment(axes.first, axes.coordinates + axes.specials);
  for (std::size_t k = 0; k < parameter.specials.size(); ++k) {
    if (parameter.specials[k].value != value) continue;
    features(axes.coordinates + static_cast<Index>(k)) = 1;
    return features;
  }
  if (axes.has_outside_default && value == parameter.default_value) {
    features(axes.coordinates + axes.specials - 1) = 1;
  } else if (const auto* category = std::get_if<Category>(&parameter.kind)) {
    const auto& choices = category->choices;
    const auto found = std::find(choices.begin(), choices.end(), std::get<std::string>(value));
    if (found != choices.end()) features(found - choices.begin()) = kChoiceAxis;
  } else if (const auto* is_on = std::get_if<bool>(&value)) {
    features(0) = *is_on ? 1 : 0;
  } else {
    for (Index k = 0; k < axes.coordinates; ++k) features(k) = unit[k];
  }
  return features;
}

VectorXd FeatureMap::EncodeAlone(std::size_t parameter, const Value& value) const {
  const Parameter& alone = space_.parameters()[parameter];
  const std::vector<double> unit = ToCoordinates(alone, value);
  return EncodeOne(alone, axes_[parameter], value, unit.data());
}

VectorXd FeatureMap::Encode(const Assignment& assignment) const {
  const std::vector<double> unit = space_.ToUnit(assignment);
  VectorXd features = absent_;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const Parameter& parameter = space_.parameters()[i];
    const auto found = assignment.find(parameter.name);
    if (found != assignment.end()) {
      const VectorXd own = EncodeOne(parameter, axes_[i], found->second, unit.data() + offset);
      features.segment(axes_[i].first, own.size()) = own;
    }
    const auto* tuple = std::get_if<OrderedTuple>(&parameter.kind);
    offset += tuple == nullptr ? 1 : tuple->arity;
  }
  return features;
}

MatrixXd FeatureMap::Encode(const std::vector<Assignment>& assignments) const {
  MatrixXd points(absent_.size(), static_cast<Index>(assignments.size()));
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    points.col(static_cast<Index>(i)) = Encode(assignments[i]);
  }
  return points;
}

}  // namespace hone::tune
