// SPDX-License-Identifier: Apache-2.0
#include "hone/core/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "hone/core/check.h"
#include "hone/core/coordinate.h"

namespace hone {
namespace {

constexpr int kRepairSteps = 16;

Error Invalid(const std::string& name, const std::string& what) {
  return Error{Errc::kInvalidArgument, fmt::format("parameter {}: {}", name, what)};
}

std::optional<double> NumberIn(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

bool IsNumeric(const Parameter& parameter) {
  return std::holds_alternative<IntegerRange>(parameter.kind) ||
         std::holds_alternative<RealRange>(parameter.kind);
}

Result<void> CheckSpecials(const Parameter& parameter) {
  if (!parameter.specials.empty() && !IsNumeric(parameter)) {
    return Invalid(parameter.name, "special values are for integer and real ranges only");
  }
  for (const SpecialValue& special : parameter.specials) {
    const bool is_word = std::holds_alternative<std::string>(special.value);
    if (!is_word && special.value.index() != NeutralValue(parameter.kind).index()) {
      return Invalid(
          parameter.name,
          fmt::format("special value {} is of another type than the range", ToText(special.value)));
    }
  }
  return {};
}

Result<void> CheckCondition(const Parameter& parameter, const std::set<std::string>& earlier) {
  if (!parameter.condition) return {};
  if (!earlier.contains(parameter.condition->parent)) {
    return Invalid(parameter.name, fmt::format("its condition names {}, which is not an earlier "
                                               "parameter",
                                               parameter.condition->parent));
  }
  if (parameter.condition->values.empty()) {
    return Invalid(parameter.name, "its condition lists no value, so it would never be active");
  }
  return {};
}

Result<void> CheckParameter(const Parameter& parameter, const std::set<std::string>& earlier) {
  if (parameter.name.empty()) return Invalid("\"\"", "a name is needed");
  if (earlier.contains(parameter.name)) return Invalid(parameter.name, "the name is there twice");
  if (const auto fault = FaultOf(parameter.kind); !fault.empty()) {
    return Invalid(parameter.name, fault);
  }
  if (!Space::IsSpecial(parameter, parameter.default_value) &&
      parameter.default_value.index() != NeutralValue(parameter.kind).index()) {
    return Invalid(parameter.name,
                   fmt::format("the default {} is not {}", ToText(parameter.default_value),
                               DescribeAllowed(parameter)));
  }
  if (auto specials = CheckSpecials(parameter); !specials) return specials;
  return CheckCondition(parameter, earlier);
}

// Whether the constraint holds for these numbers, one a term.
bool HoldsFor(const LinearConstraint& constraint, const std::vector<double>& numbers) {
  double sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) sum += constraint.terms[i].factor * numbers[i];
  return constraint.is_strict ? sum < constraint.bound : sum <= constraint.bound;
}

}  // namespace

std::string ToText(const LinearConstraint& constraint) {
  std::string text;
  for (const auto& [name, factor] : constraint.terms) {
    const char* sign = factor < 0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
    const double size = std::abs(factor);
    text += size == 1 ? fmt::format("{}{}", sign, name) : fmt::format("{}{} {}", sign, size, name);
  }
  return fmt::format("{} {} {}", text, constraint.is_strict ? "<" : "<=", constraint.bound);
}

Result<Space> Space::Make(std::vector<Parameter> parameters,
                          std::vector<LinearConstraint> constraints) {
  Space space;
  for (Parameter& parameter : parameters) {
    // With ranges of their own the common one says nothing; equal spaces have it equal.
    auto* tuple = std::get_if<OrderedTuple>(&parameter.kind);
    if (tuple != nullptr && !tuple->parts.empty()) tuple->range = {};
  }
  std::set<std::string> names;
  for (const Parameter& parameter : parameters) {
    if (auto fault = CheckParameter(parameter, names); !fault) return fault.error();
    names.insert(parameter.name);
    space.unit_offset_.push_back(space.unit_size_);
    space.unit_size_ += CoordinatesOf(parameter);
    const auto unit = ToCoordinates(parameter, parameter.default_value);
    space.default_unit_.insert(space.default_unit_.end(), unit.begin(), unit.end());
  }
  space.parameters_ = std::move(parameters);
  space.constraints_ = std::move(constraints);
  if (auto fault = space.CheckConstraints(); !fault) return fault.error();
  return space;
}

Result<void> Space::CheckConstraints() const {
  for (const LinearConstraint& constraint : constraints_) {
    std::vector<double> in_force;
    std::vector<double> in_range;
    bool has_special = false;
    for (const auto& term : constraint.terms) {
      const auto index = IndexOf(term.parameter);
      if (!index || !IsNumeric(parameters_[*index])) {
        return Error{Errc::kInvalidArgument,
                     fmt::format("constraint {}: {} is not an integer or real parameter of this "
                                 "space",
                                 ToText(constraint), term.parameter)};
      }
      const Parameter& parameter = parameters_[*index];
      has_special = has_special || IsSpecial(parameter, parameter.default_value);
      if (has_special) continue;
      const auto unit = std::span(default_unit_).subspan(unit_offset_[*index], 1);
      in_force.push_back(*NumberIn(parameter.default_value));
      in_range.push_back(*NumberIn(FromCoordinates(parameter, unit)));
    }
    if (!has_special && !(HoldsFor(constraint, in_force) && HoldsFor(constraint, in_range))) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("constraint {}: the defaults break it", ToText(constraint))};
    }
  }
  return {};
}

std::optional<std::size_t> Space::IndexOf(const std::string& name) const {
  const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                  [&](const Parameter& p) { return p.name == name; });
  if (found == parameters_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - parameters_.begin());
}

Assignment Space::Defaults() const {
  Assignment assignment;
  for (const Parameter& parameter : parameters_) {
    if (IsActive(parameter, assignment)) assignment[parameter.name] = parameter.default_value;
  }
  return assignment;
}

// Parents stand before their children, so an inactive parent is absent from the assignment.
bool Space::IsActive(const Parameter& parameter, const Assignment& assignment) const {
  if (!parameter.condition) return true;
  const auto parent = assignment.find(parameter.condition->parent);
  if (parent == assignment.end()) return false;
  const auto& values = parameter.condition->values;
  return std::find(values.begin(), values.end(), parent->second) != values.end();
}

bool Space::IsSpecial(const Parameter& parameter, const Value& value) {
  return std::any_of(parameter.specials.begin(), parameter.specials.end(),
                     [&](const SpecialValue& special) { return special.value == value; });
}

Result<void> Space::Validate(const Assignment& assignment) const {
  for (const auto& [name, value] : assignment) {
    const auto index = IndexOf(name);
    if (!index) return Invalid(name, "no such parameter in this space");
    const Parameter& parameter = parameters_[*index];
    if (!IsActive(parameter, assignment)) {
      return Invalid(name, fmt::format("it is set, but it exists only while {} has another value",
                                       parameter.condition->parent));
    }
    if (value != parameter.default_value && !Allows(parameter, value)) {
      return Invalid(name, fmt::format("{} is not {}", ToText(value), DescribeAllowed(parameter)));
    }
  }
  for (const Parameter& parameter : parameters_) {
    if (IsActive(parameter, assignment) && !assignment.contains(parameter.name)) {
      return Invalid(parameter.name, "no value is given");
    }
  }
  for (const LinearConstraint& constraint : constraints_) {
    if (!Holds(constraint, assignment)) {
      return Error{Errc::kInvalidArgument, fmt::format("constraint {}: broken by {}",
                                                       ToText(constraint), ToText(assignment))};
    }
  }
  return {};
}

bool Space::SatisfiesConstraints(const Assignment& assignment) const {
  return std::all_of(constraints_.begin(), constraints_.end(),
                     [&](const LinearConstraint& c) { return Holds(c, assignment); });
}

bool Space::Holds(const LinearConstraint& constraint, const Assignment& assignment) const {
  std::vector<double> numbers;
  for (const auto& term : constraint.terms) {
    const auto found = assignment.find(term.parameter);
    if (found == assignment.end()) return true;
    if (IsSpecial(parameters_[*IndexOf(term.parameter)], found->second)) return true;
    const auto number = NumberIn(found->second);
    if (!number) return false;
    numbers.push_back(*number);
  }
  return HoldsFor(constraint, numbers);
}

Assignment Space::Decode(std::span<const double> unit) const {
  Assignment assignment;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& parameter = parameters_[i];
    if (!IsActive(parameter, assignment)) continue;
    assignment[parameter.name] =
        FromCoordinates(parameter, unit.subspan(unit_offset_[i], CoordinatesOf(parameter)));
  }
  return assignment;
}

Assignment Space::FromUnit(std::span<const double> unit) const {
  HONE_CHECK(unit.size() == unit_size_);
  Assignment assignment = Decode(unit);
  if (SatisfiesConstraints(assignment)) return assignment;

  std::vector<double> moved(unit.begin(), unit.end());
  std::set<std::size_t> moving;
  for (int step = 1; step <= kRepairSteps; ++step) {
    for (const LinearConstraint& constraint : constraints_) {
      if (Holds(constraint, assignment)) continue;
      for (const auto& term : constraint.terms) {
        moving.insert(unit_offset_[*IndexOf(term.parameter)]);
      }
    }
    const double share = static_cast<double>(step) / kRepairSteps;
    for (const std::size_t k : moving) {
      const double from = std::clamp(unit[k], 0.0, 1.0);
      moved[k] = from + share * (default_unit_[k] - from);
    }
    assignment = Decode(moved);
    if (SatisfiesConstraints(assignment)) return assignment;
  }
  return WithConstrainedAtDefault(moved);
}

// The defaults satisfy every constraint, so this always does.
Assignment Space::WithConstrainedAtDefault(std::vector<double> unit) const {
  for (const LinearConstraint& constraint : constraints_) {
    for (const auto& term : constraint.terms) {
      const std::size_t k = unit_offset_[*IndexOf(term.parameter)];
      unit[k] = default_unit_[k];
    }
  }
  Assignment assignment = Decode(unit);
  HONE_CHECK(SatisfiesConstraints(assignment));
  return assignment;
}

std::vector<double> Space::ToUnit(const Assignment& assignment) const {
  std::vector<double> unit = default_unit_;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto found = assignment.find(parameters_[i].name);
    if (found == assignment.end()) continue;
    const auto coordinates = ToCoordinates(parameters_[i], found->second);
    std::copy(coordinates.begin(), coordinates.end(),
              unit.begin() + static_cast<std::ptrdiff_t>(unit_offset_[i]));
  }
  return unit;
}

}  // namespace hone
