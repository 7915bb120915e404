// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/watch/watch_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "hone/core/rng.h"
#include "hone/tune/watch/watch_for_test.h"

namespace hone::tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const StepSettings kSettings{.radius = 0.25, .length = 0.05, .fixed = {}};

Candidate Originals(const Space& space) { return {space.Defaults(), ""}; }

// What each step from the defaults makes of the parameter that it names, by key.
std::map<std::string, std::string> StepsOf(const Space& space,
                                           const StepSettings& settings = kSettings) {
  std::map<std::string, std::string> texts;
  for (const WatchStep& step :
       TrustRegion(space, Originals(space), settings).StepsFrom(Originals(space))) {
    texts[step.key] = step.text;
  }
  return texts;
}

TEST(TrustRegionTest, AStepIsASmallPartOfTheRange) {
  const auto space =
      Space::Make({ParameterOf("rate", IntegerRange{0, 199, 1, false}, std::int64_t{100})});
  EXPECT_THAT(StepsOf(*space), UnorderedElementsAre(std::pair("rate down", "rate 100 -> 90"),
                                                    std::pair("rate up", "rate 100 -> 110")));
}

TEST(TrustRegionTest, WhereThePartIsSmallerTheStepGoesToTheNeighbour) {
  const auto space =
      Space::Make({ParameterOf("level", IntegerRange{1, 9, 1, false}, std::int64_t{5})});
  EXPECT_THAT(StepsOf(*space), UnorderedElementsAre(std::pair("level down", "level 5 -> 4"),
                                                    std::pair("level up", "level 5 -> 6")));
}

TEST(TrustRegionTest, ANeighbourBeyondTheRadiusIsNoStepAndTheParameterIsNamed) {
  const auto space =
      Space::Make({ParameterOf("level", IntegerRange{1, 3, 1, false}, std::int64_t{2})});
  EXPECT_THAT(StepsOf(*space), IsEmpty());
  EXPECT_THAT(TrustRegion(*space, Originals(*space), {}).Stuck(), ElementsAre("level"));
}

TEST(TrustRegionTest, ALogarithmicRangeIsSteppedByAFactor) {
  const auto space = Space::Make(
      {ParameterOf("bytes", IntegerRange{4096, 4096 << 10, 4096, true}, std::int64_t{131072})});
  EXPECT_THAT(StepsOf(*space),
              UnorderedElementsAre(std::pair("bytes down", "bytes 131072 -> 94208"),
                                   std::pair("bytes up", "bytes 131072 -> 184320")));
}

TEST(TrustRegionTest, ACategoryStepsToEveryOtherChoice) {
  const auto space = Space::Make({ParameterOf("cc", Category{{"cubic", "reno", "bbr"}}, "cubic"),
                                  ParameterOf("sack", Boolean{}, true)});
  EXPECT_THAT(StepsOf(*space), UnorderedElementsAre(std::pair("cc=reno", "cc cubic -> reno"),
                                                    std::pair("cc=bbr", "cc cubic -> bbr"),
                                                    std::pair("sack=false", "sack true -> false")));
}

TEST(TrustRegionTest, APartOfATupleMovesAloneAndStaysInOrder) {
  const auto space = Space::Make({ParameterOf("rmem", OrderedTuple{3, {0, 99, 1, false}, {}},
                                              std::vector<std::int64_t>{50, 50, 60})});
  EXPECT_THAT(StepsOf(*space),
              UnorderedElementsAre(std::pair("rmem.1 down", "rmem 50 50 60 -> 45 50 60"),
                                   std::pair("rmem.2 up", "rmem 50 50 60 -> 50 55 60"),
                                   std::pair("rmem.3 down", "rmem 50 50 60 -> 50 50 55"),
                                   std::pair("rmem.3 up", "rmem 50 50 60 -> 50 50 65")));
}

TEST(TrustRegionTest, SpecialValuesAreNeitherEnteredNorLeft) {
  Parameter low = ParameterOf("low", IntegerRange{1, 100, 1, false}, std::int64_t{1});
  low.specials = {{std::int64_t{0}, "off"}};
  Parameter off = low;
  off.name = "off";
  off.default_value = std::int64_t{0};
  const auto space = Space::Make({low, off});
  const auto steps = StepsOf(*space);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps.begin()->first, "low up");
}

TEST(TrustRegionTest, AConstraintThatWouldBreakForbidsTheStep) {
  const auto space =
      Space::Make({ParameterOf("a", IntegerRange{0, 99, 1, false}, std::int64_t{50}),
                   ParameterOf("b", IntegerRange{0, 99, 1, false}, std::int64_t{51})},
                  {{.terms = {{"a", 1}, {"b", -1}}, .is_strict = true, .bound = 0}});
  EXPECT_FALSE(StepsOf(*space).contains("a up"));
  EXPECT_FALSE(StepsOf(*space).contains("b down"));
  EXPECT_EQ(StepsOf(*space).size(), 2U);
}

TEST(TrustRegionTest, AFixedParameterDoesNotMoveAndAValueOutsideTheRangeIsKept) {
  const auto space =
      Space::Make({ParameterOf("far", IntegerRange{10, 99, 1, false}, std::int64_t{500}),
                   ParameterOf("near", IntegerRange{0, 99, 1, false}, std::int64_t{50})});
  StepSettings settings;
  settings.fixed = {"far"};
  const TrustRegion region(*space, Originals(*space), settings);
  for (const WatchStep& step : region.StepsFrom(Originals(*space))) {
    EXPECT_EQ(step.candidate.assignment.at("far"), Value(std::int64_t{500})) << step.text;
  }
  EXPECT_THAT(region.Stuck(), IsEmpty());
}

TEST(TrustRegionTest, AnActivatedParameterBeginsAtItsDefault) {
  Parameter child = ParameterOf("child", IntegerRange{0, 99, 1, false}, std::int64_t{7});
  child.condition = Condition{"mode", {std::string("on")}};
  const auto space = Space::Make({ParameterOf("mode", Category{{"off", "on"}}, "off"), child});
  const auto steps = TrustRegion(*space, Originals(*space), {}).StepsFrom(Originals(*space));
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(ToText(steps[0].candidate.assignment), "child=7 mode=on");
}

TEST(TrustRegionTest, NoWalkLeavesTheRadiusAndEveryStepIsValid) {
  const auto space =
      Space::Make({ParameterOf("real", RealRange{1, 1000, 0, true}, 30.0),
                   ParameterOf("int", IntegerRange{0, 1000, 7, false}, std::int64_t{70}),
                   ParameterOf("cc", Category{{"a", "b"}}, "a"),
                   ParameterOf("rmem", OrderedTuple{3, {1, 1 << 20, 1, true}, {}},
                               std::vector<std::int64_t>{100, 1000, 10000})});
  const StepSettings settings{.radius = 0.2, .length = 0.03, .fixed = {}};
  const TrustRegion region(*space, Originals(*space), settings);
  const auto start = space->ToUnit(space->Defaults());
  Rng rng(3);
  Candidate here = Originals(*space);
  for (int i = 0; i < 2000; ++i) {
    const auto steps = region.StepsFrom(here);
    ASSERT_FALSE(steps.empty());
    here = steps[rng.Below(steps.size())].candidate;
    ASSERT_TRUE(space->Validate(here.assignment)) << ToText(here.assignment);
    const auto unit = space->ToUnit(here.assignment);
    for (std::size_t k = 0; k < unit.size(); ++k) {
      if (k == 2) continue;  // The category.
      ASSERT_LE(std::abs(unit[k] - start[k]), 0.2 + 1e-9) << ToText(here.assignment);
    }
  }
}

}  // namespace
}  // namespace hone::tune
