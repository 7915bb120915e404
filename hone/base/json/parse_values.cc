// SPDX-License-Identifier: Apache-2.0
#include "hone/base/json/parse_values.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace hone {
namespace {

Error Refuse(std::string_view flag, std::string_view text, std::string_view expected) {
  return Error{Errc::kInvalidArgument,
               fmt::format("{}: expected {}, found \"{:.60}\"", flag, expected, text)};
}

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// A finite number that is the whole text.
template <typename Number>
std::optional<Number> ReadWhole(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) return std::nullopt;
  }
  return number;
}

bool EatSuffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  text = Trim(text);
  return true;
}

}  // namespace

Result<std::chrono::milliseconds> ParseDuration(std::string_view flag, std::string_view text) {
  constexpr std::string_view kExpected = "a time such as 90s, 10m, 1.5h or 250ms";
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}}};
  constexpr double kLongestMs = 365.0 * 24 * 3600e3;
  std::string_view rest = Trim(text);
  double unit = 1e3;
  for (const auto& [suffix, factor] : kUnits) {
    if (!EatSuffix(rest, suffix)) continue;
    unit = factor;
    break;
  }
  const auto number = ReadWhole<double>(rest);
  if (!number || *number < 0 || *number * unit > kLongestMs) return Refuse(flag, text, kExpected);
  return std::chrono::milliseconds(std::llround(*number * unit));
}

Result<double> ParseShare(std::string_view flag, std::string_view text) {
  std::string_view rest = Trim(text);
  const double unit = EatSuffix(rest, "%") ? 0.01 : 1;
  const auto number = ReadWhole<double>(rest);
  if (!number) return Refuse(flag, text, "a share such as 5% or 0.05");
  return *number * unit;
}

Result<std::int64_t> ParseCount(std::string_view flag, std::string_view text, std::int64_t min,
                                std::int64_t max) {
  const auto number = ReadWhole<std::int64_t>(Trim(text));
  if (!number || *number < min || *number > max) {
    return Refuse(flag, text, fmt::format("a whole number, {} to {}", min, max));
  }
  return *number;
}

Result<std::uint64_t> ParseSeed(std::string_view flag, std::string_view text) {
  const auto number = ReadWhole<std::uint64_t>(Trim(text));
  if (!number) {
    return Refuse(
        flag, text,
        fmt::format("a whole number, 0 to {}", std::numeric_limits<std::uint64_t>::max()));
  }
  return *number;
}

Result<std::pair<std::string, std::string>> ParseSetting(std::string_view flag,
                                                         std::string_view text) {
  const auto sign = text.find('=');
  const std::string_view name = Trim(text.substr(0, sign));
  if (sign == std::string_view::npos || name.empty()) {
    return Refuse(flag, text, "name=value");
  }
  return std::pair(std::string(name), std::string(text.substr(sign + 1)));
}

Result<Limit> ParseLimit(std::string_view flag, std::string_view text) {
  constexpr std::string_view kExpected = "a limit such as p99_ms<=20 or p99_ms<=1.05x";
  for (const std::string_view sign : {"<=", ">="}) {
    const auto at = text.find(sign);
    if (at == std::string_view::npos) continue;
    Limit limit;
    limit.metric = Trim(text.substr(0, at));
    limit.is_upper = sign == "<=";
    std::string_view bound = Trim(text.substr(at + sign.size()));
    limit.is_relative = EatSuffix(bound, "x");
    const auto number = ReadWhole<double>(bound);
    if (limit.metric.empty() || !number) break;
    limit.bound = *number;
    return limit;
  }
  return Refuse(flag, text, kExpected);
}

Result<Objective> ParseObjective(std::string_view flag, std::string_view text) {
  constexpr std::string_view kExpected = "a metric, with a weight above 0 if wanted: p99_ms:2";
  const auto colon = text.rfind(':');
  Objective objective;
  objective.metric = Trim(text.substr(0, colon));
  if (colon != std::string_view::npos) {
    const auto weight = ReadWhole<double>(Trim(text.substr(colon + 1)));
    if (!weight || !(*weight > 0)) return Refuse(flag, text, kExpected);
    objective.weight = *weight;
  }
  if (objective.metric.empty()) return Refuse(flag, text, kExpected);
  return objective;
}

}  // namespace hone
