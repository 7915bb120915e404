// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "hone/core/space.h"
#include "hone/core/value.h"

namespace hone::tune {

// Assignments as points whose distances mean something to a kernel:
//
//   a number, a part of a tuple   its unit-cube coordinate (so logarithmic where declared)
//   a boolean                     0 or 1
//   a category                    one axis a choice: any two choices are at distance 1
//   a special value               an axis of its own at 1, and the number's coordinate at the
//                                 middle, as if it had none; a default outside its range likewise
//   an inactive parameter         the middle of all its axes: it adds nothing between two points
//                                 that lack it
//
// Each coordinate has a group, the unit that shares a length scale: a number, a tuple's part, all
// choices of a category, all special values of a parameter.
class FeatureMap {
 public:
  explicit FeatureMap(const Space& space);  // The space outlives the map.

  Eigen::VectorXd Encode(const Assignment& assignment) const;
  Eigen::MatrixXd Encode(const std::vector<Assignment>& assignments) const;  // One column each.

  const std::vector<int>& groups() const { return groups_; }

  struct Axes {  // Where a parameter's features stand.
    Eigen::Index first = 0;
    Eigen::Index coordinates = 0;  // Numbers, or choices of a category.
    Eigen::Index specials = 0;     // After the coordinates.
    bool has_outside_default = false;

    Eigen::Index size() const { return coordinates + specials; }
  };
  const std::vector<Axes>& axes() const { return axes_; }  // One a parameter.

  // The features of one parameter with this value.
  Eigen::VectorXd EncodeAlone(std::size_t parameter, const Value& value) const;

 private:
  Eigen::VectorXd EncodeOne(const Parameter& parameter, const Axes& axes, const Value& value,
                            const double* unit) const;

  const Space& space_;
  std::vector<Axes> axes_;  // One a parameter.
  std::vector<int> groups_;
  Eigen::VectorXd absent_;  // The features of an assignment without any parameter.
};

}  // namespace hone::tune
