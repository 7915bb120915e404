// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/toy/toy_surface.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>

#include "hone/core/check.h"
#include "hone/core/nearest.h"

namespace hone::toy {
namespace {

constexpr double kBaselineThroughput = 1000;
constexpr double kBaselineLatencyMs = 10;
constexpr double kBestStability = 0.9;

double LatencyScore(const Shape& shape, const Point& point) {
  return shape.latency_score == nullptr ? shape.score(point) : shape.latency_score(point);
}

}  // namespace

Result<Surface> Surface::Make(const std::string& name, double gain) {
  const auto shape = std::ranges::find(AllShapes(), name, &Shape::name);
  if (shape == AllShapes().end()) {
    return Error{Errc::kInvalidArgument, NoSuch("surface", name, SurfaceNames())};
  }
  auto space = Space::Make(shape->parameters, shape->constraints);
  if (!space) return space.error();
  return Surface(*shape, std::move(*space), gain);
}

Surface::Surface(const Shape& shape, Space space, double gain)
    : shape_(&shape), space_(std::move(space)) {
  HONE_CHECK(gain >= 0);
  const Assignment defaults = space_.Defaults();
  const Point baseline(space_, shape.optimum, defaults);
  baseline_score_ = shape.score(baseline);
  baseline_latency_score_ = LatencyScore(shape, baseline);
  const double rise = shape.score(Point(space_, shape.optimum, shape.optimum)) - baseline_score_;
  scale_ = rise > 0 ? std::log1p(gain) / rise : 0;
}

std::vector<Assignment> Surface::Front() const {
  if (shape_->front_parameter.empty()) return {optimum()};
  const auto index = space_.IndexOf(shape_->front_parameter);
  HONE_CHECK(index.has_value());
  const auto& range = std::get<IntegerRange>(space_.parameters()[*index].kind);
  std::vector<Assignment> front;
  for (std::int64_t value = range.low; value <= range.high; value += range.step) {
    front.push_back(optimum());
    front.back()[shape_->front_parameter] = value;
  }
  return front;
}

Truth Surface::At(const Assignment& assignment) const {
  const Point point(space_, shape_->optimum, assignment);
  const double gain = scale_ * (shape_->score(point) - baseline_score_);
  const double relief = scale_ * (LatencyScore(*shape_, point) - baseline_latency_score_);
  return {.throughput = kBaselineThroughput * std::exp(gain),
          .latency_ms = kBaselineLatencyMs * std::exp(-relief),
          .stability = kBestStability * std::exp(std::min(gain, 0.0)),
          .is_crash = shape_->is_crash != nullptr && shape_->is_crash(point)};
}

std::vector<std::string> SurfaceNames() {
  std::vector<std::string> names;
  for (const Shape& shape : AllShapes()) names.push_back(shape.name);
  return names;
}

double TrueLogGain(const Surface& surface, const Assignment& assignment) {
  return std::log(surface.At(assignment).throughput / kBaselineThroughput);
}

}  // namespace hone::toy
