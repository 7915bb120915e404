// SPDX-License-Identifier: Apache-2.0
#include "hone/core/space.h"

#include <gtest/gtest.h>

#include <limits>

#include "hone/core/rng.h"

namespace hone {
namespace {

Parameter Integer(std::string name, IntegerRange range, std::int64_t default_value) {
  return {std::move(name), range, default_value, "", "", {}, {}};
}

Parameter Choice(std::string name, std::vector<std::string> choices) {
  const std::string first = choices.front();
  return {std::move(name), Category{std::move(choices)}, first, "", "", {}, {}};
}

// One parameter of every kind, a special value, a condition, two constraints.
Space EveryKind() {
  Parameter batch = Integer("batch", {4, 64, 4}, 16);
  batch.specials = {{std::int64_t{0}, "off"}, {std::int64_t{-1}, "automatic"}};
  Parameter depth = Integer("depth", {1, 8}, 2);
  depth.condition = Condition{"scheduler", {std::string("deep")}};
  auto space = Space::Make(
      {Integer("low", {1, 100}, 10),
       Integer("high", {1, 1000, 1, true}, 20),
       batch,
       {"ratio", RealRange{0.5, 2.0, 0.25}, 1.0, "", "", {}, {}},
       {"enabled", Boolean{}, false, "", "", {}, {}},
       Choice("scheduler", {"plain", "deep"}),
       depth,
       {"buffer",
        OrderedTuple{3, {1024, 1 << 20, 1024, true}},
        std::vector<std::int64_t>{1024, 2048, 4096},
        "bytes",
        "",
        {},
        {}},
       {"windows",
        OrderedTuple{3, {}, {{4096, 4096}, {3000, 9000, 7, true}, {5000, 9100, 13}}},
        std::vector<std::int64_t>{4096, 5000, 6000},
        "",
        "",
        {},
        {}}},
      {{{{"low", 1}, {"high", -1}}, true, 0}, {{{"low", 1}, {"batch", 1}}, false, 120}});
  EXPECT_TRUE(space) << space.error().message;
  return *space;
}

std::string FaultOfSpace(std::vector<Parameter> parameters,
                         std::vector<LinearConstraint> constraints = {}) {
  const auto space = Space::Make(std::move(parameters), std::move(constraints));
  return space ? "" : space.error().message;
}

TEST(SpaceTest, DefaultsAreValid) {
  const Space space = EveryKind();
  const auto valid = space.Validate(space.Defaults());
  EXPECT_TRUE(valid) << valid.error().message;
}

TEST(SpaceTest, EveryPointOfTheUnitCubeIsValid) {
  const Space space = EveryKind();
  Rng rng(3);
  for (int i = 0; i < 5000; ++i) {
    std::vector<double> unit(space.UnitSize());
    for (double& u : unit) u = rng.Uniform(-0.2, 1.2);
    const Assignment assignment = space.FromUnit(unit);
    const auto valid = space.Validate(assignment);
    ASSERT_TRUE(valid) << valid.error().message;
  }
}

TEST(SpaceTest, NotANumberIsTakenAsTheLowEnd) {
  const Space space = EveryKind();
  const std::vector<double> unit(space.UnitSize(), std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(space.Validate(space.FromUnit(unit)));
}

TEST(SpaceTest, AssignmentsComeBackFromTheUnitCubeUnchanged) {
  const Space space = EveryKind();
  Rng rng(4);
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> unit(space.UnitSize());
    for (double& u : unit) u = rng.Uniform();
    const Assignment assignment = space.FromUnit(unit);
    ASSERT_EQ(ToText(space.FromUnit(space.ToUnit(assignment))), ToText(assignment));
  }
}

TEST(SpaceTest, SpecialValuesAreProposedAndConstraintsDoNotApplyToThem) {
  const Space space = EveryKind();
  Rng rng(5);
  int off = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<double> unit(space.UnitSize());
    for (double& u : unit) u = rng.Uniform();
    off += space.FromUnit(unit).at("batch") == Value{std::int64_t{0}} ? 1 : 0;
  }
  EXPECT_GT(off, 50);
  EXPECT_LT(off, 150);
}

TEST(SpaceTest, ASpecialValueMayBeAWordAlsoWhileItIsInForce) {
  Parameter limit = Integer("limit", {10, 100, 10, false}, 10);
  limit.default_value = "max";
  EXPECT_FALSE(Space::Make({limit})) << "a word that nobody declared";
  limit.specials = {{"max", "no limit"}};
  const auto space = Space::Make({limit, Integer("share", {1, 9, 1, false}, 5)},
                                 {{{{"share", 1}, {"limit", -1}}, true, 0}});
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(ToText(space->Defaults()), "limit=max share=5");
  EXPECT_EQ(space->FromUnit(space->ToUnit(space->Defaults())), space->Defaults());
  EXPECT_TRUE(space->Validate({{"limit", "max"}, {"share", std::int64_t{9}}}));
  EXPECT_TRUE(space->Validate({{"limit", std::int64_t{20}}, {"share", std::int64_t{9}}}));
  EXPECT_FALSE(space->Validate({{"limit", "most"}, {"share", std::int64_t{9}}}));
}

TEST(SpaceTest, ConditionalParametersExistOnlyWithTheirParent) {
  const Space space = EveryKind();
  Assignment assignment = space.Defaults();
  EXPECT_FALSE(assignment.contains("depth"));
  assignment["depth"] = std::int64_t{3};
  EXPECT_FALSE(space.Validate(assignment));
  assignment["scheduler"] = std::string("deep");
  EXPECT_TRUE(space.Validate(assignment));
  assignment.erase("depth");
  EXPECT_FALSE(space.Validate(assignment));
}

TEST(SpaceTest, LogarithmicRangesSpreadOverDecades) {
  const auto space = Space::Make({Integer("n", {1, 1'000'000, 1, true}, 1)});
  ASSERT_TRUE(space);
  const double middle = 0.5;
  EXPECT_EQ(space->FromUnit(std::span(&middle, 1)).at("n"), Value{std::int64_t{1000}});
}

TEST(SpaceTest, ContinuousValuesAreProposedInFewDigitsAndComeBackExactly) {
  const auto space = Space::Make({{"linear", RealRange{0.5, 2.5, 0, false}, 1.0, "", "", {}, {}},
                                  {"log", RealRange{1e-4, 10, 0, true}, 1.0, "", "", {}, {}}});
  ASSERT_TRUE(space);
  Rng rng(6);
  for (int i = 0; i < 500; ++i) {
    const std::vector<double> unit{rng.Uniform(), rng.Uniform()};
    const Assignment assignment = space->FromUnit(unit);
    for (const auto& [name, value] : assignment) EXPECT_LE(ToText(value).size(), 9U) << name;
    ASSERT_EQ(space->FromUnit(space->ToUnit(assignment)), assignment);
  }
}

TEST(SpaceTest, DefaultOutsideTheRangeIsKeptButNeverProposed) {
  const auto space = Space::Make({Integer("n", {1, 10}, 99)});
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_TRUE(space->Validate(space->Defaults()));
  const auto unit = space->ToUnit(space->Defaults());
  EXPECT_EQ(space->FromUnit(unit).at("n"), Value{std::int64_t{10}});
}

TEST(SpaceTest, ValidationNamesTheParameterAndWhatIsAllowed) {
  const Space space = EveryKind();
  Assignment assignment = space.Defaults();
  assignment["batch"] = std::int64_t{5};
  EXPECT_EQ(space.Validate(assignment).error().message,
            "parameter batch: 5 is not an integer from 4 to 64 in steps of 4, or 0 (off), or -1 "
            "(automatic)");
  assignment = space.Defaults();
  assignment["low"] = std::int64_t{50};
  EXPECT_NE(space.Validate(assignment).error().message.find("constraint low - high < 0"),
            std::string::npos);
  assignment = space.Defaults();
  assignment["nonsense"] = true;
  EXPECT_EQ(space.Validate(assignment).error().message,
            "parameter nonsense: no such parameter in this space");
  assignment = space.Defaults();
  assignment["buffer"] = std::vector<std::int64_t>{4096, 2048, 8192};
  EXPECT_FALSE(space.Validate(assignment));
}

TEST(SpaceTest, ImpossibleSpacesAreRefusedWithTheReason) {
  EXPECT_EQ(FaultOfSpace({Integer("n", {5, 1}, 1)}),
            "parameter n: the range is empty: 5 is above 1");
  EXPECT_EQ(FaultOfSpace({Integer("n", {1, 5}, 1), Integer("n", {1, 5}, 1)}),
            "parameter n: the name is there twice");
  EXPECT_EQ(FaultOfSpace({Integer("n", {0, 5, 1, true}, 1)}),
            "parameter n: a logarithmic range needs a low end above 0, not 0");
  EXPECT_EQ(FaultOfSpace({Integer("n", {0, 5, 0}, 1)}), "parameter n: the step 0 is not above 0");
  EXPECT_EQ(FaultOfSpace({Choice("c", {"x", "x"})}), "parameter c: the choice x is there twice");
  EXPECT_EQ(
      FaultOfSpace({Integer(
          "n", {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()},
          0)}),
      "parameter n: the range is too wide");
  EXPECT_EQ(FaultOfSpace({Integer("a", {1, 9}, 8), Integer("b", {1, 9}, 2)},
                         {{{{"a", 1}, {"b", -1}}, true, 0}}),
            "constraint a - b < 0: the defaults break it");
  Parameter orphan = Integer("child", {1, 5}, 1);
  orphan.condition = Condition{"parent", {true}};
  EXPECT_EQ(FaultOfSpace({orphan}),
            "parameter child: its condition names parent, which is not an earlier parameter");
}

TEST(SpaceTest, EmptySpaceHasOneEmptyAssignment) {
  const Space space;
  EXPECT_TRUE(space.FromUnit({}).empty());
  EXPECT_TRUE(space.Validate({}));
}

TEST(SpaceTest, PartsOfATupleKeepToTheirOwnRanges) {
  const Parameter windows{"windows",
                          OrderedTuple{3, {}, {{4096, 4096}, {3000, 9000, 7, true}, {5000, 9100}}},
                          std::vector<std::int64_t>{4096, 5000, 6000},
                          "",
                          "",
                          {},
                          {}};
  const auto space = Space::Make({windows});
  ASSERT_TRUE(space) << space.error().message;
  // The second part's low end lies below the first part: it moves up to its next level.
  EXPECT_EQ(space->FromUnit(std::vector<double>{0, 0, 0}).at("windows"),
            Value(std::vector<std::int64_t>{4096, 4099, 5000}));
  const auto refused = space->Validate({{"windows", std::vector<std::int64_t>{4096, 4100, 6000}}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "parameter windows: 4096 4100 6000 is not 3 integers that do not decrease: from 4096 "
            "to 4096, from 3000 to 9000 in steps of 7, from 5000 to 9100");
}

TEST(SpaceTest, PartsOfATupleMustFitTogether) {
  const auto fault = [](const OrderedTuple& tuple) {
    return FaultOfSpace({{"t", tuple, std::vector<std::int64_t>{1, 2}, "", "", {}, {}}});
  };
  EXPECT_EQ(fault({2, {}, {{1, 9}}}), "parameter t: a tuple of 2 has 1 ranges");
  EXPECT_EQ(fault({2, {}, {{1, 9}, {5, 8}}}),
            "parameter t: the highest of part 2 is below that of part 1");
  EXPECT_EQ(fault({2, {}, {{1, 9}, {1, 10, 5}}}),
            "parameter t: the highest of part 2 is below that of part 1");
  EXPECT_EQ(fault({2, {}, {{9, 1}, {1, 9}}}), "parameter t: the range is empty: 9 is above 1");
}

TEST(SpaceTest, ACommonRangeBesideTheOwnOnesOfATupleMakesNoOtherSpace) {
  const auto with = [](const IntegerRange& common) {
    OrderedTuple tuple{2, common, {{1, 10}, {10, 100}}};
    return *Space::Make({{"t", tuple, std::vector<std::int64_t>{1, 10}, "", "", {}, {}}});
  };
  EXPECT_EQ(with({}), with({1, 100}));
}

}  // namespace
}  // namespace hone
