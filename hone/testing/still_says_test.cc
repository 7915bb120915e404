// SPDX-License-Identifier: Apache-2.0
#include "hone/testing/still_says.h"

#include <gmock/gmock.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(StillSaysTest, WhatIsNewIsFine) {
  EXPECT_THAT(NoLongerSaid({{"a", 1}}, {{"a", 1}, {"b", 2}}, "answer"), IsEmpty());
}

TEST(StillSaysTest, WhatIsGoneOrOtherwiseIsNamed) {
  const Json before = {{"a", 1}, {"b", {{{"c", "x"}}, {{"c", "y"}}}}, {"d", nullptr}};
  const Json now = {{"b", {{{"c", "x"}}, {{"c", "z"}}}}, {"d", 0}};
  EXPECT_THAT(NoLongerSaid(before, now, "answer"),
              ElementsAre("answer/a is gone", R"(answer/b/1/c was "y", and is "z")",
                          "answer/d was null, and is 0"));
}

TEST(StillSaysTest, AListKeepsItsLengthAndOrder) {
  EXPECT_THAT(NoLongerSaid({1, 2}, {1, 2, 3}, "list"),
              ElementsAre("list was [1,2], and is [1,2,3]"));
  EXPECT_THAT(NoLongerSaid({1, 2}, {2, 1}, "list"),
              ElementsAre("list/0 was 1, and is 2", "list/1 was 2, and is 1"));
}

TEST(StillSaysTest, AChangeIsMeantInOnePlaceAndInTheseWords) {
  const std::vector<MeantChange> meant{{"answer/a", "old", "new", "it is clearer"}};
  EXPECT_THAT(NoLongerSaid({{"a", "old"}}, {{"a", "new"}}, "answer", meant), IsEmpty());
  EXPECT_THAT(NoLongerSaid({{"a", "old"}}, {{"a", "other"}}, "answer", meant),
              ElementsAre(R"(answer/a was "old", and is "other")"));
  EXPECT_THAT(NoLongerSaid({{"b", "old"}}, {{"b", "new"}}, "answer", meant),
              ElementsAre(R"(answer/b was "old", and is "new")"));
  EXPECT_THAT(NoLongerSaid({{"a", "old"}}, Json::object(), "answer", meant),
              ElementsAre("answer/a is gone"));
}

}  // namespace
}  // namespace hone
