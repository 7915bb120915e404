// SPDX-License-Identifier: Apache-2.0
#include "hone/core/value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>

namespace hone {

std::string ToText(const Value& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::vector<std::int64_t>>) {
          return fmt::format("{}", fmt::join(held, " "));
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

std::string ToText(const Assignment& assignment) {
  std::string text;
  for (const auto& [name, value] : assignment) {
    if (!text.empty()) text += ' ';
    text += name + '=' + ToText(value);
  }
  return text;
}

}  // namespace hone
