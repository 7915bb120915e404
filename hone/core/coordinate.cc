// SPDX-License-Identifier: Apache-2.0
#include "hone/core/coordinate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "hone/core/check.h"

namespace hone {
namespace {

// The part of a coordinate that all special values share has at most this size.
constexpr double kSpecialShare = 0.5;
constexpr double kOneSpecialShare = 0.1;
constexpr double kStepTolerance = 1e-9;

double ShareOfOneSpecial(const Parameter& parameter) {
  if (parameter.specials.empty()) return 0;
  return std::min(kOneSpecialShare, kSpecialShare / static_cast<double>(parameter.specials.size()));
}

double Clamped(double unit) { return unit > 0 ? std::min(unit, 1.0) : 0; }

// Which of `count` equal cells the coordinate falls into.
std::size_t CellOf(double unit, std::size_t count) {
  const auto cell = static_cast<std::size_t>(Clamped(unit) * static_cast<double>(count));
  return std::min(cell, count - 1);
}

double MiddleOf(std::size_t cell, std::size_t count) {
  return (static_cast<double>(cell) + 0.5) / static_cast<double>(count);
}

std::int64_t LastLevel(const IntegerRange& range) { return (range.high - range.low) / range.step; }

double Interpolate(double low, double high, bool is_log, double unit) {
  const double u = Clamped(unit);
  return is_log ? low * std::exp(u * std::log(high / low)) : low + u * (high - low);
}

double Locate(double low, double high, bool is_log, double value) {
  if (low == high) return 0.5;
  const double v = std::clamp(value, low, high);
  return is_log ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
}

std::int64_t LevelAt(const IntegerRange& range, double unit) {
  const std::int64_t last = LastLevel(range);
  std::int64_t level = 0;
  if (range.is_log) {
    const double value =
        Interpolate(static_cast<double>(range.low), static_cast<double>(range.high), true, unit);
    level =
        std::llround((value - static_cast<double>(range.low)) / static_cast<double>(range.step));
  } else {
    level = static_cast<std::int64_t>(Clamped(unit) * (static_cast<double>(last) + 1));
  }
  return range.low + std::clamp<std::int64_t>(level, 0, last) * range.step;
}

double CoordinateOf(const IntegerRange& range, std::int64_t value) {
  if (range.is_log) {
    return Locate(static_cast<double>(range.low), static_cast<double>(range.high), true,
                  static_cast<double>(value));
  }
  const std::int64_t level = (std::clamp(value, range.low, range.high) - range.low) / range.step;
  return (static_cast<double>(level) + 0.5) / (static_cast<double>(LastLevel(range)) + 1);
}

// The value on the decimal grid of this power of ten, as near as a double comes to it.
double RoundToPower(double value, double power) {
  const double scale = std::pow(10.0, std::abs(power));
  return power < 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
}

// Where there is no step, four digits are enough, and they read and come back well.
double RoundForPeople(const RealRange& range, double value) {
  const double size = range.is_log ? std::abs(value) : range.high - range.low;
  if (size <= 0) return value;
  const double power = std::floor(std::log10(size)) - (range.is_log ? 3 : 4);
  return std::clamp(RoundToPower(value, power), range.low, range.high);
}

double RealAt(const RealRange& range, double unit) {
  const double value = Interpolate(range.low, range.high, range.is_log, unit);
  if (range.step <= 0) return RoundForPeople(range, value);
  const double levels = std::floor((range.high - range.low) / range.step + kStepTolerance);
  const double level = std::clamp(std::round((value - range.low) / range.step), 0.0, levels);
  return range.low + level * range.step;
}

bool OnGrid(const IntegerRange& range, std::int64_t value) {
  return value >= range.low && value <= range.high && (value - range.low) % range.step == 0;
}

bool OnGrid(const RealRange& range, double value) {
  if (!(value >= range.low && value <= range.high)) return false;
  if (range.step <= 0) return true;
  const double level = (value - range.low) / range.step;
  return std::abs(level - std::round(level)) <= kStepTolerance * std::max(1.0, std::abs(level));
}

const IntegerRange& RangeOf(const OrderedTuple& tuple, std::size_t part) {
  return tuple.parts.empty() ? tuple.range : tuple.parts[part];
}

std::int64_t LastOf(const IntegerRange& range) { return range.low + LastLevel(range) * range.step; }

// The lowest level that is not below `value`. There is one: value <= LastOf(range).
std::int64_t LevelFrom(const IntegerRange& range, std::int64_t value) {
  if (value <= range.low) return range.low;
  return range.low + (value - range.low + range.step - 1) / range.step * range.step;
}

struct Decoder {
  std::span<const double> unit;

  Value operator()(const IntegerRange& range) const { return LevelAt(range, unit[0]); }
  Value operator()(const RealRange& range) const { return RealAt(range, unit[0]); }
  Value operator()(const Boolean&) const { return CellOf(unit[0], 2) == 1; }
  Value operator()(const Category& category) const {
    return category.choices[CellOf(unit[0], category.choices.size())];
  }
  Value operator()(const OrderedTuple& tuple) const {
    std::vector<std::int64_t> parts;
    for (std::size_t i = 0; i < unit.size(); ++i) {
      parts.push_back(LevelAt(RangeOf(tuple, i), unit[i]));
    }
    if (tuple.parts.empty()) std::sort(parts.begin(), parts.end());
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (parts[i] < parts[i - 1]) parts[i] = LevelFrom(tuple.parts[i], parts[i - 1]);
    }
    return parts;
  }
};

struct Encoder {
  const Value& value;

  std::vector<double> operator()(const IntegerRange& range) const {
    return {CoordinateOf(range, std::get<std::int64_t>(value))};
  }
  std::vector<double> operator()(const RealRange& range) const {
    return {Locate(range.low, range.high, range.is_log, std::get<double>(value))};
  }
  std::vector<double> operator()(const Boolean&) const {
    return {MiddleOf(std::get<bool>(value) ? 1 : 0, 2)};
  }
  std::vector<double> operator()(const Category& category) const {
    const auto found =
        std::find(category.choices.begin(), category.choices.end(), std::get<std::string>(value));
    const auto index = found == category.choices.end() ? 0 : found - category.choices.begin();
    return {MiddleOf(static_cast<std::size_t>(index), category.choices.size())};
  }
  std::vector<double> operator()(const OrderedTuple& tuple) const {
    std::vector<double> unit;
    const auto& parts = std::get<std::vector<std::int64_t>>(value);
    for (std::size_t i = 0; i < std::min(parts.size(), tuple.arity); ++i) {
      unit.push_back(CoordinateOf(RangeOf(tuple, i), parts[i]));
    }
    unit.resize(tuple.arity, unit.empty() ? 0.5 : unit.back());
    return unit;
  }
};

struct Membership {
  const Value& value;

  bool operator()(const IntegerRange& range) const {
    return OnGrid(range, std::get<std::int64_t>(value));
  }
  bool operator()(const RealRange& range) const { return OnGrid(range, std::get<double>(value)); }
  bool operator()(const Boolean&) const { return true; }
  bool operator()(const Category& category) const {
    return std::find(category.choices.begin(), category.choices.end(),
                     std::get<std::string>(value)) != category.choices.end();
  }
  bool operator()(const OrderedTuple& tuple) const {
    const auto& parts = std::get<std::vector<std::int64_t>>(value);
    if (parts.size() != tuple.arity || !std::is_sorted(parts.begin(), parts.end())) return false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!OnGrid(RangeOf(tuple, i), parts[i])) return false;
    }
    return true;
  }
};

std::string DescribeRange(const IntegerRange& range) {
  const std::string step = range.step == 1 ? "" : fmt::format(" in steps of {}", range.step);
  return fmt::format("from {} to {}{}", range.low, range.high, step);
}

struct Describer {
  std::string operator()(const IntegerRange& range) const {
    return "an integer " + DescribeRange(range);
  }
  std::string operator()(const RealRange& range) const {
    const std::string step = range.step <= 0 ? "" : fmt::format(" in steps of {}", range.step);
    return fmt::format("a number from {} to {}{}", range.low, range.high, step);
  }
  std::string operator()(const Boolean&) const { return "true or false"; }
  std::string operator()(const Category& category) const {
    return fmt::format("one of {}", fmt::join(category.choices, ", "));
  }
  std::string operator()(const OrderedTuple& tuple) const {
    const std::string what = fmt::format("{} integers that do not decrease", tuple.arity);
    if (tuple.parts.empty()) return fmt::format("{}, each {}", what, DescribeRange(tuple.range));
    std::vector<std::string> parts;
    parts.reserve(tuple.parts.size());
    for (const IntegerRange& part : tuple.parts) parts.push_back(DescribeRange(part));
    return fmt::format("{}: {}", what, fmt::join(parts, ", "));
  }
};

std::string FaultOfRange(double low, double high, double step, bool is_log) {
  if (!std::isfinite(low) || !std::isfinite(high)) return "the range is not finite";
  if (low > high) return fmt::format("the range is empty: {} is above {}", low, high);
  if (step < 0) return fmt::format("the step {} is negative", step);
  if (is_log && low <= 0)
    return fmt::format("a logarithmic range needs a low end above 0, not {}", low);
  return "";
}

struct FaultFinder {
  std::string operator()(const IntegerRange& range) const {
    if (range.step < 1) return fmt::format("the step {} is not above 0", range.step);
    std::int64_t width = 0;
    if (__builtin_sub_overflow(range.high, range.low, &width)) return "the range is too wide";
    return FaultOfRange(static_cast<double>(range.low), static_cast<double>(range.high),
                        static_cast<double>(range.step), range.is_log);
  }
  std::string operator()(const RealRange& range) const {
    return FaultOfRange(range.low, range.high, range.step, range.is_log);
  }
  std::string operator()(const Boolean&) const { return ""; }
  std::string operator()(const Category& category) const {
    if (category.choices.empty()) return "a category needs at least one choice";
    auto sorted = category.choices;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    return twice == sorted.end() ? "" : fmt::format("the choice {} is there twice", *twice);
  }
  std::string operator()(const OrderedTuple& tuple) const {
    if (tuple.arity == 0) return "a tuple needs at least one part";
    if (tuple.parts.empty()) return (*this)(tuple.range);
    if (tuple.parts.size() != tuple.arity) {
      return fmt::format("a tuple of {} has {} ranges", tuple.arity, tuple.parts.size());
    }
    for (std::size_t i = 0; i < tuple.arity; ++i) {
      if (auto fault = (*this)(tuple.parts[i]); !fault.empty()) return fault;
      if (i == 0 || LastOf(tuple.parts[i]) >= LastOf(tuple.parts[i - 1])) continue;
      return fmt::format("the highest of part {} is below that of part {}", i + 1, i);
    }
    return "";
  }
};

}  // namespace

std::size_t CoordinatesOf(const Parameter& parameter) {
  const auto* tuple = std::get_if<OrderedTuple>(&parameter.kind);
  return tuple == nullptr ? 1 : tuple->arity;
}

Value FromCoordinates(const Parameter& parameter, std::span<const double> unit) {
  HONE_CHECK(unit.size() == CoordinatesOf(parameter));
  if (parameter.specials.empty()) return std::visit(Decoder{unit}, parameter.kind);
  const double share = ShareOfOneSpecial(parameter);
  const double reserved = share * static_cast<double>(parameter.specials.size());
  const double u = Clamped(unit[0]);
  if (u < reserved)
    return parameter.specials[CellOf(u / reserved, parameter.specials.size())].value;
  const double rest = (u - reserved) / (1 - reserved);
  return std::visit(Decoder{std::span(&rest, 1)}, parameter.kind);
}

std::vector<double> ToCoordinates(const Parameter& parameter, const Value& value) {
  const double share = ShareOfOneSpecial(parameter);
  for (std::size_t i = 0; i < parameter.specials.size(); ++i) {
    if (parameter.specials[i].value == value) return {share * (static_cast<double>(i) + 0.5)};
  }
  auto unit = std::visit(Encoder{value}, parameter.kind);
  const double reserved = share * static_cast<double>(parameter.specials.size());
  if (reserved > 0) unit[0] = reserved + unit[0] * (1 - reserved);
  return unit;
}

bool Allows(const Parameter& parameter, const Value& value) {
  if (Space::IsSpecial(parameter, value)) return true;
  if (value.index() != NeutralValue(parameter.kind).index()) return false;
  return std::visit(Membership{value}, parameter.kind);
}

std::string DescribeAllowed(const Parameter& parameter) {
  std::string text = std::visit(Describer{}, parameter.kind);
  for (const SpecialValue& special : parameter.specials) {
    text += fmt::format(", or {} ({})", ToText(special.value), special.meaning);
  }
  return text;
}

std::string FaultOf(const Kind& kind) { return std::visit(FaultFinder{}, kind); }

Value NeutralValue(const Kind& kind) {
  struct Neutral {
    Value operator()(const IntegerRange&) const { return std::int64_t{0}; }
    Value operator()(const RealRange&) const { return 0.0; }
    Value operator()(const Boolean&) const { return false; }
    Value operator()(const Category&) const { return std::string(); }
    Value operator()(const OrderedTuple&) const { return std::vector<std::int64_t>(); }
  };
  return std::visit(Neutral{}, kind);
}

}  // namespace hone
