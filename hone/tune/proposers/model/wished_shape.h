// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "hone/core/space.h"
#include "hone/core/value.h"
#include "hone/tune/proposers/model/feature_map.h"

namespace hone::tune {

// One candidate that somebody would try, and the parameters whose values are their choice.
struct Wish {
  Assignment assignment;
  std::set<std::string> set;
};

// What is to be expected of the reward where somebody wishes for such values and nothing else is
// known. A wish tells a direction better than a distance, so the best value of a number lies
// between the baseline's value b and the end of the range with the middle z of the wishes of that
// direction as its mean, and a hill that is highest at it, in expectation, goes by
//
//   q(x) = 2 (x - b) (z - b) - (x - b)²,
//
// and a switch or a special value by how often it is wished for, squared. Each is divided by its
// spread over the range, multiplied by how far the wishes agree, and 0 at the baseline. Of choices
// among several nothing is expected: that another one is named says little of which is better.
class WishedShape {
 public:
  // Space and map outlive the shape.
  WishedShape(const Space& space, const FeatureMap& map, const Assignment& baseline);

  void Note(const Wish& wish);

  bool IsFlat() const { return hills_.empty(); }

  // A row for each part of a parameter that is wished for, a column for each point.
  Eigen::MatrixXd At(const Eigen::MatrixXd& points) const;

 private:
  enum class AxisKind : std::uint8_t { kNumber, kSwitch, kChoice };  // The last says nothing.
  struct Axis {                                                      // One a feature.
    AxisKind kind = AxisKind::kNumber;
    double start = 0;           // What a wish moves it from.
    std::deque<double> wishes;  // Oldest first.
  };
  struct Hill {  // rise (x - reference) - fall (x - reference)²
    Eigen::Index feature = 0;
    Eigen::Index row = 0;
    double rise = 0;
    double fall = 0;
  };
  struct Moves {  // What the wishes of one feature say.
    double up = 0;
    double down = 0;
    double sum_up = 0;
    double sum_down = 0;
  };

  static AxisKind KindOf(const Parameter& parameter, bool is_special);
  static Moves MovesOf(const Axis& axis);
  Hill HillOf(Eigen::Index feature) const;
  void Rebuild();

  const Space& space_;
  const FeatureMap& map_;
  Eigen::VectorXd reference_;  // The baseline's features.
  std::vector<Axis> axes_;
  std::vector<Hill> hills_;
  Eigen::Index rows_ = 0;
};

}  // namespace hone::tune
