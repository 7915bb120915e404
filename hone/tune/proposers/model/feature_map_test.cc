// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/feature_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::tune {
namespace {

using Int = std::int64_t;

Parameter Named(const std::string& name, Kind kind, Value default_value) {
  Parameter parameter;
  parameter.name = name;
  parameter.kind = std::move(kind);
  parameter.default_value = std::move(default_value);
  return parameter;
}

class FeatureMapTest : public testing::Test {
 protected:
  static Space MakeSpace() {
    Parameter wait = Named("wait", IntegerRange{10, 110, 1, false}, Int{20});
    wait.specials = {{Int{0}, "off"}, {Int{-1}, "automatic"}};
    Parameter depth = Named("depth", RealRange{0, 1, 0, false}, 0.1);
    depth.condition = Condition{.parent = "on", .values = {true}};
    return *Space::Make(
        {Named("size", IntegerRange{1, 10'000, 1, true}, Int{20'000}),
         Named("on", Boolean{}, false), depth, wait, Named("kind", Category{{"a", "b", "c"}}, "a"),
         Named("pair", OrderedTuple{2, IntegerRange{1, 100, 1, false}}, std::vector<Int>{1, 100})});
  }

  double Distance(const Assignment& a, const Assignment& b) const {
    return (map_.Encode(a) - map_.Encode(b)).norm();
  }

  const Space space_ = MakeSpace();
  const FeatureMap map_{space_};
  const Assignment base_ = {{"size", Int{100}},
                            {"on", false},
                            {"wait", Int{60}},
                            {"kind", "a"},
                            {"pair", std::vector<Int>{10, 20}}};
};

TEST_F(FeatureMapTest, EachNumberCategoryAndSetOfSpecialsHasItsOwnGroup) {
  // size, its outside default; on; depth; wait, two specials; three choices; two parts.
  EXPECT_THAT(map_.groups(), testing::ElementsAre(0, 1, 2, 3, 4, 5, 5, 6, 6, 6, 7, 8));
}

TEST_F(FeatureMapTest, LogarithmicParametersAreNearByRatio) {
  Assignment ten = base_;
  Assignment thousand = base_;
  ten["size"] = Int{10};
  thousand["size"] = Int{1000};
  EXPECT_NEAR(Distance(base_, ten), 0.25, 1e-9);
  EXPECT_NEAR(Distance(base_, thousand), 0.25, 1e-9);
}

TEST_F(FeatureMapTest, AnyTwoChoicesAreAtDistanceOne) {
  Assignment b = base_;
  Assignment c = base_;
  b["kind"] = "b";
  c["kind"] = "c";
  EXPECT_NEAR(Distance(base_, b), 1, 1e-12);
  EXPECT_NEAR(Distance(base_, c), 1, 1e-12);
  EXPECT_NEAR(Distance(b, c), 1, 1e-12);
}

TEST_F(FeatureMapTest, ASpecialValueIsAsFarFromLowNumbersAsFromHighOnes) {
  Assignment off = base_;
  off["wait"] = Int{0};
  Assignment low = base_;
  low["wait"] = Int{10};
  Assignment high = base_;
  high["wait"] = Int{110};
  EXPECT_GE(Distance(off, low), 1);
  EXPECT_NEAR(Distance(off, low), Distance(off, high), 0.15);
  Assignment automatic = base_;
  automatic["wait"] = Int{-1};
  EXPECT_GE(Distance(off, automatic), 1);
}

TEST_F(FeatureMapTest, AWordIsASpecialValueLikeAnyOther) {
  Parameter limit{"limit", IntegerRange{10, 1000, 1, true}, "max", "",
                  "",      {{"max", "no limit"}},           {}};
  const auto space = Space::Make({limit});
  ASSERT_TRUE(space) << space.error().message;
  const FeatureMap map(*space);
  EXPECT_THAT(map.groups(), testing::ElementsAre(0, 1));
  const auto distance = [&](const Value& value) {
    return (map.Encode(space->Defaults()) - map.Encode({{"limit", value}})).norm();
  };
  EXPECT_EQ(distance("max"), 0);
  EXPECT_NEAR(distance(Int{10}), distance(Int{1000}), 0.15);
}

TEST_F(FeatureMapTest, ADefaultOutsideItsRangeIsNotTheEndOfTheRange) {
  Assignment outside = base_;
  outside["size"] = Int{20'000};
  Assignment end = base_;
  end["size"] = Int{10'000};
  EXPECT_GE(Distance(outside, end), 1);
}

TEST_F(FeatureMapTest, AnInactiveParameterAddsNothing) {
  Assignment on = base_;
  on["on"] = true;
  on["depth"] = 0.5;
  EXPECT_NEAR(Distance(base_, on), 1, 1e-12);  // The switch alone.
  EXPECT_EQ(Distance(base_, base_), 0);
}

}  // namespace
}  // namespace hone::tune
