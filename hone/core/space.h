// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/value.h"

namespace hone {

// Kinds of parameter. A logarithmic range needs low > 0; its steps are linear all the same.
struct IntegerRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t step = 1;
  bool is_log = false;

  bool operator==(const IntegerRange&) const = default;
};
struct RealRange {
  double low = 0;
  double high = 0;
  double step = 0;  // 0: continuous, proposed with four digits.
  bool is_log = false;

  bool operator==(const RealRange&) const = default;
};
struct Boolean {
  bool operator==(const Boolean&) const = default;
};
struct Category {
  std::vector<std::string> choices;

  bool operator==(const Category&) const = default;
};
struct OrderedTuple {  // `arity` integers that never decrease.
  std::size_t arity = 0;
  IntegerRange range;
  std::vector<IntegerRange> parts = {};  // Where each integer has its own range, these; else empty.

  bool operator==(const OrderedTuple&) const = default;
};
using Kind = std::variant<IntegerRange, RealRange, Boolean, Category, OrderedTuple>;

// A value outside the range that means something else: 0 for "off", the word "max" for no limit.
struct SpecialValue {
  Value value;
  std::string meaning;

  bool operator==(const SpecialValue&) const = default;
};

// The parameter exists only while the parent is active and holds one of these values.
struct Condition {
  std::string parent;
  std::vector<Value> values;

  bool operator==(const Condition&) const = default;
};

struct Parameter {
  std::string name;
  Kind kind;
  Value default_value;  // What is in force now. It may lie outside the range searched.
  std::string unit;
  std::string description;
  std::vector<SpecialValue> specials;  // For integer and real ranges only.
  std::optional<Condition> condition;

  bool operator==(const Parameter&) const = default;
};

// sum of factor * parameter, then < or <=, then bound. "a < b" is {{"a", 1}, {"b", -1}} < 0.
// It does not apply where one of its parameters is inactive or holds a special value.
struct LinearConstraint {
  struct Term {
    std::string parameter;
    double factor = 1;

    bool operator==(const Term&) const = default;
  };
  std::vector<Term> terms;
  bool is_strict = false;
  double bound = 0;

  bool operator==(const LinearConstraint&) const = default;
};

std::string ToText(const LinearConstraint& constraint);  // "a - b < 0"

// A parameter space, checked when made: names are unique, ranges are not empty, conditions name
// earlier parameters, defaults satisfy the constraints. Immutable, so free to share.
class Space {
 public:
  Space() = default;  // No parameters: for domains whose candidates are source texts.

  static Result<Space> Make(std::vector<Parameter> parameters,
                            std::vector<LinearConstraint> constraints = {});

  bool operator==(const Space&) const = default;

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<LinearConstraint>& constraints() const { return constraints_; }
  std::optional<std::size_t> IndexOf(const std::string& name) const;

  Assignment Defaults() const;

  // An error names the parameter, what was found and what is allowed. Defaults always pass.
  Result<void> Validate(const Assignment& assignment) const;
  bool SatisfiesConstraints(const Assignment& assignment) const;
  bool IsActive(const Parameter& parameter, const Assignment& assignment) const;
  static bool IsSpecial(const Parameter& parameter, const Value& value);

  // The unit cube: one coordinate a parameter, `arity` for a tuple. Special values take the low
  // end of their coordinate. FromUnit accepts any numbers, clamps them, and its result is always
  // valid: where a constraint is broken the parameters in it move towards their defaults until
  // it holds. ToUnit puts inactive parameters at their default.
  std::size_t UnitSize() const { return unit_size_; }
  Assignment FromUnit(std::span<const double> unit) const;
  std::vector<double> ToUnit(const Assignment& assignment) const;

 private:
  Result<void> CheckConstraints() const;
  Assignment Decode(std::span<const double> unit) const;
  Assignment WithConstrainedAtDefault(std::vector<double> unit) const;
  bool Holds(const LinearConstraint& constraint, const Assignment& assignment) const;

  std::vector<Parameter> parameters_;
  std::vector<LinearConstraint> constraints_;
  std::vector<std::size_t> unit_offset_;  // Of each parameter's first coordinate.
  std::vector<double> default_unit_;
  std::size_t unit_size_ = 0;
};

}  // namespace hone
