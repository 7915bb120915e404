// SPDX-License-Identifier: Apache-2.0
#include "hone/server/kernelgym/lax_reader.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace hone::server {
namespace {

std::vector<Fault> FaultsOfReading(const Json& json, const std::function<void(LaxReader&)>& read) {
  std::vector<Fault> faults;
  LaxReader reader(json, {"body"}, faults);
  read(reader);
  return faults;
}

TEST(LaxReaderTest, NumbersMayBeWrittenInManyWays) {
  for (const Json& seven : {Json(7), Json(7.0), Json("7"), Json(" 7 "), Json("+7"), Json("7.0")}) {
    const Json json{{"n", seven}};
    EXPECT_TRUE(FaultsOfReading(json,
                                [](LaxReader& reader) {
                                  EXPECT_EQ(reader.Integer("n", 1, {1, 9}), 7);
                                })
                    .empty())
        << json;
  }
  const std::vector<std::pair<Json, std::string>> wrong{
      {5.5, "int_from_float"}, {"x", "int_parsing"},        {"", "int_parsing"},
      {nullptr, "int_type"},   {Json::array(), "int_type"}, {0, "greater_than_equal"},
      {10, "less_than_equal"}};
  for (const auto& [value, type] : wrong) {
    const auto faults = FaultsOfReading({{"n", value}}, [](LaxReader& reader) {
      static_cast<void>(reader.Integer("n", 1, {1, 9}));
    });
    ASSERT_EQ(faults.size(), 1) << value;
    EXPECT_EQ(faults[0].type, type) << value;
  }
}

TEST(LaxReaderTest, YesIsTrue) {
  for (const Json& yes : {Json(true), Json(1), Json("yes"), Json("ON"), Json("t"), Json(1.0)}) {
    EXPECT_TRUE(FaultsOfReading({{"b", yes}},
                                [](LaxReader& reader) { EXPECT_TRUE(reader.Bool("b", false)); })
                    .empty())
        << yes;
  }
  for (const Json& wrong : {Json("maybe"), Json(2), Json(nullptr), Json::array()}) {
    EXPECT_EQ(FaultsOfReading({{"b", wrong}},
                              [](LaxReader& reader) { static_cast<void>(reader.Bool("b", false)); })
                  .size(),
              1)
        << wrong;
  }
}

TEST(LaxReaderTest, AStringIsAString) {
  EXPECT_EQ(
      FaultsOfReading({{"s", 7}},
                      [](LaxReader& reader) { static_cast<void>(reader.RequiredString("s")); })[0]
          .type,
      "string_type");
  EXPECT_EQ(
      FaultsOfReading(Json::object(),
                      [](LaxReader& reader) { static_cast<void>(reader.RequiredString("s")); })[0]
          .type,
      "missing");
}

TEST(LaxReaderTest, FaultsReadAsAPythonList) {
  EXPECT_EQ(
      ToText({{"missing", {"body", "tasks", "0", "task_id"}, "Field required"}}),
      "[{'type': 'missing', 'loc': ('body', 'tasks', 0, 'task_id'), 'msg': 'Field required'}]");
  EXPECT_EQ(ToText({{"a", {"body"}, "it's"}}),
            R"([{'type': 'a', 'loc': ('body',), 'msg': 'it\'s'}])");
}

}  // namespace
}  // namespace hone::server
