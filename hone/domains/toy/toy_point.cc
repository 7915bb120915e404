// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/toy/toy_point.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "hone/core/check.h"

namespace hone::toy {
namespace {

const Value& ValueAt(const Assignment& assignment, const std::string& name) {
  const auto found = assignment.find(name);
  HONE_CHECK(found != assignment.end());
  return found->second;
}

double NumberIn(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return std::get<double>(value);
}

template <typename Range>
double Distance(const Range& range, double from, double to) {
  const auto low = static_cast<double>(range.low);
  const auto high = static_cast<double>(range.high);
  return range.is_log ? std::log(to / from) / std::log(high / low) : (to - from) / (high - low);
}

double TupleDistance(const IntegerRange& range, const Value& from, const Value& to) {
  const auto& start = std::get<std::vector<std::int64_t>>(from);
  const auto& end = std::get<std::vector<std::int64_t>>(to);
  double squares = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const double part = Distance(range, static_cast<double>(start[i]), static_cast<double>(end[i]));
    squares += part * part;
  }
  return std::sqrt(squares / static_cast<double>(start.size()));
}

}  // namespace

double Point::Away(const std::string& name) const {
  const auto index = space_.IndexOf(name);
  HONE_CHECK(index.has_value());
  const Kind& kind = space_.parameters()[*index].kind;
  const Value& best = ValueAt(optimum_, name);
  const Value& here = ValueAt(assignment_, name);
  if (const auto* tuple = std::get_if<OrderedTuple>(&kind)) {
    return TupleDistance(tuple->range, best, here);
  }
  if (const auto* range = std::get_if<IntegerRange>(&kind)) {
    return Distance(*range, NumberIn(best), NumberIn(here));
  }
  return Distance(std::get<RealRange>(kind), NumberIn(best), NumberIn(here));
}

double Point::Number(const std::string& name) const { return NumberIn(ValueAt(assignment_, name)); }

bool Point::Is(const std::string& name, const Value& value) const {
  const auto found = assignment_.find(name);
  return found != assignment_.end() && found->second == value;
}

}  // namespace hone::toy
