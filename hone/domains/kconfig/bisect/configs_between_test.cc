// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/bisect/configs_between.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/kernel_lab_for_test.h"

namespace hone::kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ConfigsBetweenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(WriteFileAtomically(folder_.path() / "Kconfig", kFakeTree));
    auto lab = MakeFakeLab(folder_.path(), folder_.path() / "cache");
    ASSERT_TRUE(lab) << lab.error().message;
    auto options = KernelOptions::Load(lab->source, {.base = "tiny"});
    ASSERT_TRUE(options) << options.error().message;
    options_.emplace(std::move(*options));
  }

  ConfigsBetween Between(const std::vector<std::string>& from,
                         const std::vector<std::string>& to) const {
    return {options_->solver(), ConfigFor(*options_, from).value().config,
            ConfigFor(*options_, to).value().config};
  }

  static std::vector<std::string> NamesIn(const ConfigsBetween& between) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < between.changes().size(); ++i) names.push_back(between.NameOf(i));
    return names;
  }

  TempDir folder_ = TempDir::Make("hone-between-test").value();
  std::optional<KernelOptions> options_;
};

TEST_F(ConfigsBetweenTest, WhatAnOptionNeedsComesBeforeIt) {
  EXPECT_THAT(NamesIn(Between({}, {"DEEP=y", "FAST=y"})),
              ElementsAre("FAST: n -> y", "BELOW: n -> y", "DEEP: n -> y"));
}

TEST_F(ConfigsBetweenTest, TheMemberOfAChoiceThatIsNoLongerSelectedIsNoChange) {
  EXPECT_THAT(NamesIn(Between({"HZ_250=y"}, {"HZ_1000=y"})), ElementsAre("HZ_1000: n -> y"));
}

TEST_F(ConfigsBetweenTest, ASetOfChangesIsMadeWholeByItsConsequences) {
  const ConfigsBetween between = Between({}, {"DEEP=y", "FAST=y"});
  const BetweenConfig deep = between.With({2});
  EXPECT_THAT(deep.config, HasSubstr("CONFIG_BELOW=y"));
  EXPECT_THAT(deep.config, Not(HasSubstr("CONFIG_FAST=y")));
  EXPECT_THAT(deep.made, ElementsAre(1, 2));
}

TEST_F(ConfigsBetweenTest, TheEndsAreWhatTheyAre) {
  const ConfigsBetween between = Between({"SPEED=7"}, {"SPEED=9", "FAST=y"});
  EXPECT_EQ(between.With({}).config, ConfigFor(*options_, {"SPEED=7"}).value().config);
  EXPECT_EQ(between.With({0, 1}).config,
            ConfigFor(*options_, {"SPEED=9", "FAST=y"}).value().config);
}

TEST_F(ConfigsBetweenTest, WhatNeitherOfTheTwoHasIsInNoneThoughItWereTheShortestWay) {
  // ODD would select both that WELL needs.
  const ConfigsBetween between = Between({}, {"FAST=y", "BELOW=y", "WELL=y", "SPEED=9"});
  ASSERT_THAT(NamesIn(between),
              ElementsAre("FAST: n -> y", "BELOW: n -> y", "WELL: n -> y", "SPEED: 250 -> 9"));
  const BetweenConfig well = between.With({2});
  EXPECT_THAT(well.config, HasSubstr("# CONFIG_ODD is not set"));
  EXPECT_THAT(well.made, ElementsAre(0, 1, 2));
}

TEST_F(ConfigsBetweenTest, WhatBecomesVisibleStaysAsItWasInsteadOfTakingItsDefault) {
  const ConfigsBetween between = Between({}, {"ROOM=y", "INSIDE=y", "SPEED=9"});
  ASSERT_THAT(NamesIn(between), ElementsAre("ROOM: n -> y", "INSIDE: n -> y", "SPEED: 250 -> 9"));
  EXPECT_THAT(between.With({0}).made, ElementsAre(0));
}

TEST_F(ConfigsBetweenTest, WhatIsEqualInBothIsEqualInAll) {
  const ConfigsBetween between = Between({"BELOW=y"}, {"BELOW=y", "DEEP=y", "FAST=y", "SPEED=9"});
  for (const ChangeSet& some : {ChangeSet{0}, ChangeSet{1}, ChangeSet{0, 2}}) {
    EXPECT_THAT(between.With(some).config, HasSubstr("CONFIG_BELOW=y"));
  }
}

TEST_F(ConfigsBetweenTest, WhatSelectsAnOptionGoesWithIt) {
  // ODD selects FAST and BELOW, so it cannot be there while FAST goes.
  const ConfigsBetween between = Between({"ODD=y", "FAST=y", "BELOW=y"}, {});
  ASSERT_THAT(NamesIn(between), ElementsAre("ODD: y -> n", "FAST: y -> n", "BELOW: y -> n"));
  const BetweenConfig fast = between.With({1});
  EXPECT_THAT(fast.made, ElementsAre(0, 1)) << fast.reason;
  EXPECT_THAT(Between({}, {}).changes(), IsEmpty());
}

}  // namespace
}  // namespace hone::kernels
