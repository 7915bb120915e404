// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/schedule.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace hone::learn {

Result<Schedule> ParseSchedule(const std::string& what, const std::string& text) {
  constexpr std::string_view kLinear = "lin_";
  Schedule schedule;
  std::string_view number = text;
  schedule.is_linear = number.starts_with(kLinear);
  if (schedule.is_linear) number.remove_prefix(kLinear.size());
  const auto [end, fault] =
      std::from_chars(number.data(), number.data() + number.size(), schedule.start);
  const bool is_whole = fault == std::errc() && end == number.data() + number.size();
  if (!is_whole || !(schedule.start >= 0) || schedule.start > 1e6) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{}: expected a number such as 0.0003, or lin_0.0003 to let it fall to "
                    "0 in a straight line, found \"{}\"",
                    what, text)};
  }
  return schedule;
}

std::string ToText(const Schedule& schedule) {
  return fmt::format("{}{}", schedule.is_linear ? "lin_" : "", schedule.start);
}

}  // namespace hone::learn
