// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/watch/watch_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace hone::tune {
namespace {

// Rounding to a grid may put a value this far beyond the radius.
constexpr double kTolerance = 1e-9;

// The choices of a parameter without an order.
std::vector<Value> ChoicesOf(const Parameter& parameter) {
  if (std::holds_alternative<Boolean>(parameter.kind)) return {false, true};
  std::vector<Value> values;
  if (const auto* category = std::get_if<Category>(&parameter.kind)) {
    values.assign(category->choices.begin(), category->choices.end());
  }
  return values;
}

std::size_t PartsOf(const Parameter& parameter) {
  const auto* tuple = std::get_if<OrderedTuple>(&parameter.kind);
  return tuple == nullptr ? 1 : tuple->arity;
}

// `from` with another value of one parameter; what its conditions switch on begins at its default.
Assignment With(const Space& space, const Assignment& from, const Parameter& changed,
                const Value& value) {
  Assignment made;
  for (const Parameter& parameter : space.parameters()) {
    if (!space.IsActive(parameter, made)) continue;
    const auto before = from.find(parameter.name);
    if (parameter.name == changed.name) {
      made[parameter.name] = value;
    } else {
      made[parameter.name] = before == from.end() ? parameter.default_value : before->second;
    }
  }
  return made;
}

}  // namespace

TrustRegion::TrustRegion(Space space, Candidate start, StepSettings settings)
    : space_(std::move(space)),
      start_(std::move(start)),
      settings_(std::move(settings)),
      start_unit_(space_.ToUnit(start_.assignment)) {
  std::size_t coordinate = 0;
  for (std::size_t i = 0; i < space_.parameters().size(); ++i) {
    const Parameter& parameter = space_.parameters()[i];
    const std::size_t parts = PartsOf(parameter);
    for (std::size_t part = 0; part < parts; ++part, ++coordinate) {
      if (settings_.fixed.contains(parameter.name)) continue;
      const std::string suffix = parts == 1 ? "" : fmt::format(".{}", part + 1);
      moves_.push_back({i, coordinate, parameter.name + suffix});
    }
  }
}

bool TrustRegion::IsOrdered(const Parameter& parameter) const {
  return ChoicesOf(parameter).empty();
}

std::vector<WatchStep> TrustRegion::StepsFrom(const Candidate& from) const {
  std::vector<WatchStep> steps;
  for (const Move& move : moves_) {
    const Parameter& parameter = space_.parameters()[move.parameter];
    const auto value = from.assignment.find(parameter.name);
    if (value == from.assignment.end() || Space::IsSpecial(parameter, value->second)) continue;
    if (!IsOrdered(parameter)) {
      AddChoices(from, move, steps);
      continue;
    }
    for (const int sign : {-1, 1}) {
      if (auto step = StepAlong(from, move, sign)) steps.push_back(std::move(*step));
    }
  }
  return steps;
}

void TrustRegion::AddChoices(const Candidate& from, const Move& move,
                             std::vector<WatchStep>& steps) const {
  for (const Value& choice : ChoicesOf(space_.parameters()[move.parameter])) {
    auto step = StepTo(from, move, choice, fmt::format("{}={}", move.name, ToText(choice)));
    if (step) steps.push_back(std::move(*step));
  }
}

// Farther and farther until the value is another one, or the radius ends.
std::optional<WatchStep> TrustRegion::StepAlong(const Candidate& from, const Move& move,
                                                int sign) const {
  const Parameter& parameter = space_.parameters()[move.parameter];
  const auto unit = space_.ToUnit(from.assignment);
  const double here = unit[move.coordinate];
  const double end = std::clamp(start_unit_[move.coordinate] + sign * settings_.radius, 0.0, 1.0);
  const std::string key = fmt::format("{} {}", move.name, sign > 0 ? "up" : "down");
  for (int lengths = 1;; ++lengths) {
    const double reached = here + sign * lengths * settings_.length;
    const bool is_last = sign * (reached - end) >= 0;
    auto moved = unit;
    moved[move.coordinate] = is_last ? end : reached;
    const Assignment decoded = space_.FromUnit(moved);
    const auto value = decoded.find(parameter.name);
    if (value != decoded.end()) {
      if (auto step = StepTo(from, move, value->second, key)) {
        const double there = space_.ToUnit(step->candidate.assignment)[move.coordinate];
        if (sign * (there - here) > kTolerance) return step;
      }
    }
    if (is_last) return std::nullopt;
  }
}

std::optional<WatchStep> TrustRegion::StepTo(const Candidate& from, const Move& move,
                                             const Value& value, const std::string& key) const {
  const Parameter& parameter = space_.parameters()[move.parameter];
  const Value& before = from.assignment.at(parameter.name);
  if (value == before || Space::IsSpecial(parameter, value)) return std::nullopt;
  WatchStep step;
  step.candidate = {With(space_, from.assignment, parameter, value), from.source};
  if (!space_.Validate(step.candidate.assignment) || !Contains(step.candidate)) return std::nullopt;
  step.key = key;
  step.text = fmt::format("{} {} -> {}", parameter.name, ToText(before), ToText(value));
  return step;
}

bool TrustRegion::Contains(const Candidate& candidate) const {
  const auto unit = space_.ToUnit(candidate.assignment);
  std::size_t coordinate = 0;
  for (const Parameter& parameter : space_.parameters()) {
    for (std::size_t part = 0; part < PartsOf(parameter); ++part, ++coordinate) {
      if (!IsOrdered(parameter) || !candidate.assignment.contains(parameter.name)) continue;
      const double distance = std::abs(unit[coordinate] - start_unit_[coordinate]);
      if (distance > settings_.radius + kTolerance) return false;
    }
  }
  return true;
}

std::vector<std::string> TrustRegion::Stuck() const {
  std::set<std::string> moved;
  for (const WatchStep& step : StepsFrom(start_)) {
    for (const auto& [name, value] : step.candidate.assignment) {
      const auto before = start_.assignment.find(name);
      if (before == start_.assignment.end() || before->second != value) moved.insert(name);
    }
  }
  std::vector<std::string> stuck;
  for (const auto& [name, value] : start_.assignment) {
    if (!moved.contains(name) && !settings_.fixed.contains(name)) stuck.push_back(name);
  }
  return stuck;
}

}  // namespace hone::tune
