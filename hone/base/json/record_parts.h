// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "hone/base/json/records.h"

// What the writers and readers of records share. Not for other files.
namespace hone {

// JSON has no word for what is not finite, and a candidate's garbage may well be that.
inline Json Number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

inline double ReadNumber(JsonReader reader) {
  if (!reader.Raw().is_string()) return reader.Number();
  const std::string word = reader.String();
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (word == "Infinity") return std::numeric_limits<double>::infinity();
  if (word == "-Infinity") return -std::numeric_limits<double>::infinity();
  reader.Fail(fmt::format(
      "expected a number, \"NaN\", \"Infinity\" or \"-Infinity\", found \"{:.40}\"", word));
  return 0;
}

inline std::string ReadString(JsonReader reader) { return reader.String(); }

// Lists and maps of anything that has a ToJson or a Read… of its own.
template <typename Items, typename Write>
Json ListOf(const Items& items, Write write) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(write(item));
  return list;
}

template <typename Map, typename Write>
Json MembersOf(const Map& map, Write write) {
  Json object = Json::object();
  for (const auto& [name, value] : map) object[name] = write(value);
  return object;
}

template <typename Read>
auto ReadList(JsonReader reader, Read read) {
  std::vector<decltype(read(reader))> list;
  for (JsonReader& item : reader.Items()) list.push_back(read(item));
  return list;
}

template <typename Read>
auto ReadMembers(JsonReader reader, Read read) {
  std::map<std::string, decltype(read(reader))> map;
  for (auto& [name, member] : reader.Members()) map.emplace(name, read(member));
  return map;
}

inline constexpr auto kAsIs = [](const auto& value) { return Json(value); };
inline constexpr auto kAsRecord = [](const auto& value) { return ToJson(value); };

}  // namespace hone
