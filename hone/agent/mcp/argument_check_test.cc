// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/mcp/argument_check.h"

#include <gtest/gtest.h>

namespace hone::agent {
namespace {

const Json kSchema = {
    {"type", "object"},
    {"properties",
     {{"name", {{"type", "string"}, {"minLength", 1}, {"maxLength", 5}}},
      {"count", {{"type", "integer"}, {"minimum", 1}, {"maximum", 9}}},
      {"kind", {{"enum", {"a", "b"}}}},
      {"list", {{"type", "array"}, {"maxItems", 2}, {"items", {{"type", "number"}}}}},
      {"options", {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}}}}},
    {"required", {"name"}},
    {"additionalProperties", false}};

std::string ProblemWith(const Json& arguments) {
  const auto fits = CheckArguments(arguments, kSchema);
  return fits ? "" : fits.error().message;
}

TEST(ArgumentCheckTest, WhatFitsIsTaken) {
  EXPECT_EQ(ProblemWith({{"name", "x"}}), "");
  EXPECT_EQ(ProblemWith({{"name", "x"},
                         {"count", 9},
                         {"kind", "b"},
                         {"list", {1, 2.5}},
                         {"options", {{"any", "text"}}}}),
            "");
}

TEST(ArgumentCheckTest, TheFirstMisfitIsNamedWithWhatWouldFit) {
  EXPECT_EQ(ProblemWith(Json::object()), "arguments: name is missing");
  EXPECT_EQ(ProblemWith(3), "arguments: expected an object, found 3");
  EXPECT_EQ(ProblemWith({{"name", 3}}), "name: expected a string, found 3");
  EXPECT_EQ(ProblemWith({{"name", ""}}), "name: expected at least 1 characters, found 0");
  EXPECT_EQ(ProblemWith({{"name", "abcdef"}}), "name: expected at most 5 characters, found 6");
  EXPECT_EQ(ProblemWith({{"name", "x"}, {"count", 1.5}}), "count: expected an integer, found 1.5");
  EXPECT_EQ(ProblemWith({{"name", "x"}, {"count", 10}}), "count: expected at most 9, found 10");
  EXPECT_EQ(ProblemWith({{"name", "x"}, {"kind", "c"}}),
            "kind: expected one of [\"a\",\"b\"], found \"c\"");
  EXPECT_EQ(ProblemWith({{"name", "x"}, {"list", {1, "2"}}}),
            "list[1]: expected a number, found \"2\"");
  EXPECT_EQ(ProblemWith({{"name", "x"}, {"list", {1, 2, 3}}}),
            "list: expected at most 2 items, found 3");
  EXPECT_EQ(ProblemWith({{"name", "x"}, {"options", {{"any", 1}}}}),
            "options.any: expected a string, found 1");
  EXPECT_NE(ProblemWith({{"nam", "x"}, {"name", "x"}}).find("did you mean name"),
            std::string::npos);
}

}  // namespace
}  // namespace hone::agent
