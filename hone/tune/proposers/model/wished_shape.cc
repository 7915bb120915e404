// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/wished_shape.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <variant>

namespace hone::tune {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kMaxKept = 30;    // Of a feature: what was wished for long ago is over.
constexpr double kUndecidedWishes = 2;  // That a direction is believed to have had before any.
constexpr double kMoved = 1e-9;
constexpr double kSpreadOfSwitch = 0.5;  // Between 0 and 1, if both are equally likely.

// Of rise (x - reference) - (x - reference)² over x in [0, 1].
double SpreadOfHill(double rise, double reference) {
  const double off = reference - 0.5;
  return std::sqrt(rise * rise / 12 + rise * off / 3 + 1.0 / 180 + off * off / 3);
}

}  // namespace

WishedShape::AxisKind WishedShape::KindOf(const Parameter& parameter, bool is_special) {
  if (is_special || std::holds_alternative<Boolean>(parameter.kind)) return AxisKind::kSwitch;
  return std::holds_alternative<Category>(parameter.kind) ? AxisKind::kChoice : AxisKind::kNumber;
}

WishedShape::WishedShape(const Space& space, const FeatureMap& map, const Assignment& baseline)
    : space_(space), map_(map), reference_(map.Encode(baseline)) {
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const Parameter& parameter = space.parameters()[i];
    const FeatureMap::Axes& at = map.axes()[i];
    // What does not exist in the baseline would begin at its default.
    const VectorXd start = baseline.contains(parameter.name)
                               ? VectorXd(reference_.segment(at.first, at.size()))
                               : map.EncodeAlone(i, parameter.default_value);
    for (Index k = 0; k < at.size(); ++k) {
      axes_.push_back(
          {.kind = KindOf(parameter, k >= at.coordinates), .start = start(k), .wishes = {}});
    }
  }
}

void WishedShape::Note(const Wish& wish) {
  const VectorXd at = map_.Encode(wish.assignment);
  for (std::size_t i = 0; i < space_.parameters().size(); ++i) {
    if (!wish.set.contains(space_.parameters()[i].name)) continue;
    const FeatureMap::Axes& axes = map_.axes()[i];
    const bool is_special = at.segment(axes.first + axes.coordinates, axes.specials).sum() > 0;
    for (Index feature = axes.first; feature < axes.first + axes.size(); ++feature) {
      Axis& axis = axes_[static_cast<std::size_t>(feature)];
      // A special value stands nowhere among the numbers.
      if (axis.kind == AxisKind::kNumber && is_special) continue;
      axis.wishes.push_back(at(feature));
      if (axis.wishes.size() > kMaxKept) axis.wishes.pop_front();
    }
  }
  Rebuild();
}

WishedShape::Moves WishedShape::MovesOf(const Axis& axis) {
  Moves moves;
  for (const double wish : axis.wishes) {
    const double by = wish - axis.start;
    if (by > kMoved) {
      ++moves.up;
      moves.sum_up += by;
    } else if (by < -kMoved) {
      ++moves.down;
      moves.sum_down += by;
    }
  }
  return moves;
}

// Without a rise or fall where the wishes say nothing.
WishedShape::Hill WishedShape::HillOf(Index feature) const {
  const Axis& axis = axes_[static_cast<std::size_t>(feature)];
  const Moves moves = MovesOf(axis);
  Hill hill{.feature = feature};
  if (axis.kind == AxisKind::kChoice) return hill;
  if (axis.kind == AxisKind::kSwitch) {
    const bool goes_up = moves.up >= moves.down;
    const double share = std::max(moves.up, moves.down) /
                         (static_cast<double>(axis.wishes.size()) + kUndecidedWishes);
    hill.rise = (goes_up ? 1 : -1) * share * share / kSpreadOfSwitch;
    return hill;
  }
  if (moves.up == moves.down) return hill;
  const double agreed =
      std::abs(moves.up - moves.down) / (moves.up + moves.down + kUndecidedWishes);
  const double top = moves.up > moves.down ? moves.sum_up / moves.up : moves.sum_down / moves.down;
  const double reference = reference_(feature);
  const double rise = 2 * (top - (reference - axis.start));
  const double height = agreed / SpreadOfHill(rise, reference);
  hill.rise = height * rise;
  hill.fall = height;
  return hill;
}

void WishedShape::Rebuild() {
  hills_.clear();
  rows_ = 0;
  std::map<int, Index> rows;  // By group.
  for (Index feature = 0; feature < reference_.size(); ++feature) {
    Hill hill = HillOf(feature);
    if (hill.rise == 0 && hill.fall == 0) continue;
    const auto [row, is_new] =
        rows.try_emplace(map_.groups()[static_cast<std::size_t>(feature)], rows_);
    if (is_new) ++rows_;
    hill.row = row->second;
    hills_.push_back(hill);
  }
}

MatrixXd WishedShape::At(const MatrixXd& points) const {
  MatrixXd shapes = MatrixXd::Zero(rows_, points.cols());
  for (const Hill& hill : hills_) {
    const auto off = points.row(hill.feature).array() - reference_(hill.feature);
    shapes.row(hill.row).array() += hill.rise * off - hill.fall * off.square();
  }
  return shapes;
}

}  // namespace hone::tune
