// SPDX-License-Identifier: Apache-2.0
#include "hone/testing/still_says.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace hone {
namespace {

bool IsMeant(const Json& before, const Json& now, const std::string& where,
             const std::vector<MeantChange>& meant) {
  return std::any_of(meant.begin(), meant.end(), [&](const MeantChange& change) {
    return change.where == where && change.before == before && change.now == now;
  });
}

}  // namespace

std::vector<std::string> NoLongerSaid(const Json& before, const Json& now, const std::string& name,
                                      const std::vector<MeantChange>& meant) {
  std::vector<std::string> lost;
  const auto look_at = [&](const Json& old, const Json& today, const std::string& where) {
    auto inside = NoLongerSaid(old, today, where, meant);
    lost.insert(lost.end(), std::make_move_iterator(inside.begin()),
                std::make_move_iterator(inside.end()));
  };
  if (before.is_object() && now.is_object()) {
    for (const auto& [key, value] : before.items()) {
      const std::string where = fmt::format("{}/{}", name, key);
      if (now.contains(key)) {
        look_at(value, now[key], where);
      } else {
        lost.push_back(fmt::format("{} is gone", where));
      }
    }
  } else if (before.is_array() && now.is_array() && before.size() == now.size()) {
    for (std::size_t k = 0; k < before.size(); ++k) {
      look_at(before[k], now[k], fmt::format("{}/{}", name, k));
    }
  } else if (before != now && !IsMeant(before, now, name, meant)) {
    lost.push_back(fmt::format("{} was {}, and is {}", name, before.dump(), now.dump()));
  }
  return lost;
}

}  // namespace hone
