// SPDX-License-Identifier: Apache-2.0
#include "hone/server/environments/environment_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hone::server {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Parameter Named(const std::string& name, Kind kind, Value value) {
  Parameter parameter;
  parameter.name = name;
  parameter.kind = std::move(kind);
  parameter.default_value = std::move(value);
  return parameter;
}

Space Knobs() {
  return Space::Make({Named("batch", IntegerRange{1, 64, 1, false}, std::int64_t{8}),
                      Named("decay", RealRange{0, 1, 0, false}, 0.5),
                      Named("pin", Boolean{}, false),
                      Named("mode", Category{{"slow", "fast"}}, std::string("slow")),
                      Named("memory", OrderedTuple{2, {1, 9, 1, false}, {}},
                            std::vector<std::int64_t>{1, 9})})
      .value();
}

Json Values() {
  return {{"batch", 64}, {"decay", 0.25}, {"pin", true}, {"mode", "fast"}, {"memory", {1, 9}}};
}

Result<AskedStep> Read(const Json& body) { return ReadStep(JsonReader(body, "body"), Knobs()); }

std::string RefusalOf(const Json& body) {
  const auto step = Read(body);
  EXPECT_FALSE(step);
  if (step) return "";
  EXPECT_EQ(step.error().code, Errc::kInvalidArgument);
  EXPECT_LT(step.error().message.size(), 500U);
  return step.error().message;
}

std::string RefusalOfValue(const char* name, const Json& value) {
  Json values = Values();
  values[name] = value;
  return RefusalOf({{"action", values}});
}

TEST(EnvironmentRequestTest, AnActionIsValuesByParameterOrCoordinates) {
  const auto by_name = Read({{"action", Values()}, {"step", 3}});
  ASSERT_TRUE(by_name) << by_name.error().message;
  EXPECT_EQ(by_name->number, 3);
  EXPECT_EQ(Knobs().FromUnit(by_name->action).at("batch"), Value(std::int64_t{64}));
  EXPECT_EQ(Knobs().FromUnit(by_name->action).at("decay"), Value(0.25));
  EXPECT_EQ(Knobs().FromUnit(by_name->action).at("mode"), Value(std::string("fast")));
  const auto unit = Read({{"action", {0, 0.25, 1, 0.5, 0, 1}}});
  ASSERT_TRUE(unit) << unit.error().message;
  EXPECT_THAT(unit->action, ElementsAre(0, 0.25, 1, 0.5, 0, 1));
  EXPECT_EQ(unit->number, std::nullopt);
}

TEST(EnvironmentRequestTest, AWholeNumberFitsARealParameter) {
  Json values = Values();
  values["decay"] = 1;
  const auto step = Read({{"action", values}});
  ASSERT_TRUE(step) << step.error().message;
  EXPECT_EQ(Knobs().FromUnit(step->action).at("decay"), Value(1.0));
}

TEST(EnvironmentRequestTest, ABadValueIsNamedWithItsRange) {
  EXPECT_THAT(RefusalOfValue("batch", 65), AllOf(HasSubstr("/action"), HasSubstr("batch"),
                                                 HasSubstr("an integer from 1 to 64")));
  EXPECT_THAT(RefusalOfValue("batch", 1.5), HasSubstr("an integer from 1 to 64"));
  EXPECT_THAT(RefusalOfValue("decay", -0.1), HasSubstr("a number from 0 to 1"));
  EXPECT_THAT(RefusalOfValue("decay", {{"number", "NaN"}}), HasSubstr("decay"));
  EXPECT_THAT(RefusalOfValue("decay", {{"number", "Infinity"}}), HasSubstr("decay"));
  EXPECT_THAT(RefusalOfValue("decay", nullptr), HasSubstr("decay"));
  EXPECT_THAT(RefusalOfValue("pin", "yes"), HasSubstr("true or false"));
  EXPECT_THAT(RefusalOfValue("mode", "warp"), HasSubstr("one of slow, fast"));
  EXPECT_THAT(RefusalOfValue("memory", {9, 1}), HasSubstr("do not decrease"));
  EXPECT_THAT(RefusalOfValue("memory", {1, "a"}), HasSubstr("memory"));
}

TEST(EnvironmentRequestTest, WhatIsUnknownOrMissingIsNamed) {
  EXPECT_THAT(RefusalOfValue("bacth", 1), HasSubstr("did you mean batch?"));
  Json values = Values();
  values.erase("pin");
  EXPECT_THAT(RefusalOf({{"action", values}}), HasSubstr("pin"));
  EXPECT_THAT(RefusalOf({{"action", Values()}, {"speed", 1}}), HasSubstr("speed"));
  EXPECT_THAT(RefusalOf({{"step", 1}}), HasSubstr("action"));
  EXPECT_THAT(RefusalOf({{"action", "go"}}), HasSubstr("/action"));
  EXPECT_THAT(RefusalOf({{"action", Values()}, {"step", 0}}), HasSubstr("/step"));
  EXPECT_THAT(RefusalOf(Json::array()), HasSubstr("body"));
}

TEST(EnvironmentRequestTest, ACoordinateIsNamedByItsParameter) {
  EXPECT_THAT(RefusalOf({{"action", {0, 0, 0, 0, 0, 1.5}}}),
              AllOf(HasSubstr("/action/5"), HasSubstr("memory/1: expected 0 to 1, found 1.5")));
  EXPECT_THAT(RefusalOf({{"action", {-1e308, 0, 0, 0, 0, 0}}}), HasSubstr("batch"));
  EXPECT_THAT(RefusalOf({{"action", {0, 0, 0, 0, 0, nullptr}}}), HasSubstr("/action/5"));
  EXPECT_THAT(RefusalOf({{"action", {0, 0}}}), HasSubstr("expected 6 numbers, found 2"));
}

TEST(EnvironmentRequestTest, GiantActionsMakeNoGiantMessages) {
  EXPECT_THAT(RefusalOf({{"action", std::vector<double>(100'000, 0.5)}}), HasSubstr("6 numbers"));
  RefusalOfValue("mode", std::string(1'000'000, 'x'));
  RefusalOfValue("memory", std::vector<int>(100'000, 1));
  RefusalOfValue(std::string(100'000, 'x').c_str(), 1);
  Json deep = Json::array();
  for (int k = 0; k < 50; ++k) deep = Json::array({deep});
  RefusalOfValue("memory", deep);
}

TEST(EnvironmentRequestTest, ObjectivesTakeTheirDirectionFromTheMetric) {
  const std::vector<MetricFacts> metrics = {{"throughput", "ops/s", Direction::kHigherIsBetter, ""},
                                            {"latency_ms", "ms", Direction::kLowerIsBetter, ""}};
  EnvironmentRequest request;
  EXPECT_EQ(RuleOf(request, metrics)->objectives,
            (std::vector<Objective>{{"throughput", Direction::kHigherIsBetter, 1}}));
  request.objectives = {{"latency_ms", Direction::kHigherIsBetter, 2}};
  EXPECT_EQ(RuleOf(request, metrics)->objectives,
            (std::vector<Objective>{{"latency_ms", Direction::kLowerIsBetter, 2}}));
  request.settings.rule.limits = {{"latency", true, 1, false}};
  EXPECT_THAT(RuleOf(request, metrics).error().message, HasSubstr("latency_ms"));
}

}  // namespace
}  // namespace hone::server
