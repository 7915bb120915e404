// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/wished_shape.h"

#include <gtest/gtest.h>

#include <string>

#include "hone/core/check.h"

namespace hone::tune {
namespace {

// A number, a choice, a switch, and a number that exists only with the switch on.
Space WishSpace() {
  std::vector<Parameter> parameters(4);
  parameters[0].name = "number";
  parameters[0].kind = RealRange{0, 1};
  parameters[0].default_value = 0.4;
  parameters[1].name = "choice";
  parameters[1].kind = Category{{"a", "b", "c"}};
  parameters[1].default_value = std::string("a");
  parameters[2].name = "switch";
  parameters[2].kind = Boolean{};
  parameters[2].default_value = false;
  parameters[3].name = "inner";
  parameters[3].kind = RealRange{0, 1};
  parameters[3].default_value = 0.2;
  parameters[3].condition = Condition{"switch", {true}};
  auto space = Space::Make(std::move(parameters));
  HONE_CHECK(space.has_value());
  return std::move(*space);
}

class WishedShapeTest : public testing::Test {
 protected:
  Assignment At(const Assignment& changes) const {
    Assignment at = space_.Defaults();
    for (const auto& [name, value] : changes) at[name] = value;
    return at;
  }
  void Wish(const Assignment& changes) {
    std::set<std::string> set;
    for (const auto& [name, value] : changes) set.insert(name);
    shape_.Note({.assignment = At(changes), .set = std::move(set)});
  }
  double ValueAt(const Assignment& changes) const {
    return shape_.At(map_.Encode(At(changes))).sum();
  }

  const Space space_ = WishSpace();
  const FeatureMap map_{space_};
  WishedShape shape_{space_, map_, space_.Defaults()};
};

TEST_F(WishedShapeTest, WithoutWishesItIsFlat) {
  EXPECT_TRUE(shape_.IsFlat());
  EXPECT_EQ(ValueAt({{"number", 0.9}}), 0);
}

TEST_F(WishedShapeTest, ANumberIsBestAtTheMiddleOfWhatIsWishedForAndWorseTheOtherWay) {
  for (const double wish : {0.6, 0.7, 0.8}) Wish({{"number", wish}});
  EXPECT_FALSE(shape_.IsFlat());
  EXPECT_EQ(ValueAt({}), 0);
  EXPECT_GT(ValueAt({{"number", 0.7}}), ValueAt({{"number", 0.65}}));
  EXPECT_GT(ValueAt({{"number", 0.7}}), ValueAt({{"number", 0.75}}));
  EXPECT_NEAR(ValueAt({{"number", 1.0}}), 0, 1e-9);
  EXPECT_LT(ValueAt({{"number", 0.3}}), 0);
  EXPECT_EQ(ValueAt({{"choice", "b"}}), 0);
}

TEST_F(WishedShapeTest, WishesThatContradictEachOtherSayLess) {
  for (int i = 0; i < 4; ++i) Wish({{"number", 0.7}});
  const double agreed = ValueAt({{"number", 0.7}});
  Wish({{"number", 0.1}});
  EXPECT_LT(ValueAt({{"number", 0.7}}), agreed);
  EXPECT_GT(ValueAt({{"number", 0.7}}), 0);
  for (int i = 0; i < 3; ++i) Wish({{"number", 0.1}});
  EXPECT_TRUE(shape_.IsFlat());
}

TEST_F(WishedShapeTest, OfAChoiceAmongSeveralNothingIsExpected) {
  for (int i = 0; i < 6; ++i) Wish({{"choice", "b"}});
  EXPECT_TRUE(shape_.IsFlat());
}

TEST_F(WishedShapeTest, ASwitchIsWishedForAndWhatExistsOnlyWithItFromItsDefault) {
  for (int i = 0; i < 4; ++i) Wish({{"switch", true}, {"inner", 0.8}});
  EXPECT_EQ(ValueAt({}), 0);
  EXPECT_GT(ValueAt({{"switch", true}, {"inner", 0.8}}),
            ValueAt({{"switch", true}, {"inner", 0.2}}));
}

TEST_F(WishedShapeTest, WhatWasWishedForLongAgoIsOver) {
  for (int i = 0; i < 40; ++i) Wish({{"number", 0.1}});
  for (int i = 0; i < 30; ++i) Wish({{"number", 0.9}});
  EXPECT_LT(ValueAt({{"number", 0.1}}), 0);
}

}  // namespace
}  // namespace hone::tune
