// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// One verb with every kind of flag.
class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() {
    Verb verb;
    verb.name = "grow";
    verb.flags = {{.names = "PLANT",
                   .value = "",
                   .help = "Which.",
                   .set = Store(plant_),
                   .is_required = true},
                  {.names = "-o,--option",
                   .value = "X",
                   .help = "",
                   .set = [this](const std::string& text) -> Result<void> {
                     options_.push_back(text);
                     return {};
                   },
                   .is_repeatable = true},
                  {.names = "--trials", .value = "N", .help = "", .set = Store(trials_)},
                  {.names = "--fast", .value = "", .help = "", .set = Raise(is_fast_)}};
    verbs_.push_back(verb);
  }

  std::string plant_;
  std::vector<std::string> options_;
  std::string trials_;
  bool is_fast_ = false;
  std::vector<Verb> verbs_;
};

TEST_F(CommandLineTest, AnOperandThatRepeatsTakesAllThatFollow) {
  std::vector<std::string> tools;
  verbs_[0].flags.push_back({.names = "TOOL",
                             .value = "",
                             .help = "",
                             .set = [&tools](const std::string& text) -> Result<void> {
                               tools.push_back(text);
                               return {};
                             },
                             .is_repeatable = true});
  const auto command = ParseCommandLine({"grow", "rose", "rake", "--fast", "can", "hoe"}, verbs_);
  ASSERT_TRUE(command) << command.error().message;
  EXPECT_EQ(plant_, "rose");
  EXPECT_THAT(tools, ElementsAre("rake", "can", "hoe"));
  EXPECT_TRUE(is_fast_);
}

TEST_F(CommandLineTest, SetsWhatTheVerbDeclares) {
  const auto command =
      ParseCommandLine({"grow", "-o", "a=1", "rose", "--option", "b=2", "--fast"}, verbs_);
  ASSERT_TRUE(command) << command.error().message;
  EXPECT_EQ(command->verb, &verbs_[0]);
  EXPECT_EQ(plant_, "rose");
  EXPECT_THAT(options_, ElementsAre("a=1", "b=2"));
  EXPECT_TRUE(is_fast_);
}

TEST_F(CommandLineTest, CommonFlagsMayStandAnywhere) {
  for (const auto& words : {std::vector<std::string>{"--json", "--store", "x.db", "grow", "rose"},
                            {"grow", "rose", "--store=x.db", "--json"}}) {
    const auto command = ParseCommandLine(words, verbs_);
    ASSERT_TRUE(command) << command.error().message;
    EXPECT_TRUE(command->wants_json);
    EXPECT_EQ(command->store, "x.db");
  }
}

TEST_F(CommandLineTest, AMisspeltFlagIsGuessed) {
  const auto command = ParseCommandLine({"grow", "rose", "--tirals=3"}, verbs_);
  ASSERT_FALSE(command);
  EXPECT_THAT(command.error().message, HasSubstr("flag --tirals: no such flag; did you mean"));
  EXPECT_THAT(command.error().message, HasSubstr("--trials"));
}

TEST_F(CommandLineTest, AMisspeltVerbIsGuessed) {
  const auto command = ParseCommandLine({"gorw"}, verbs_);
  ASSERT_FALSE(command);
  EXPECT_THAT(command.error().message, HasSubstr("verb gorw: no such verb; did you mean grow?"));
}

TEST_F(CommandLineTest, WhatIsMissingOrTooMuchIsNamed) {
  EXPECT_THAT(ParseCommandLine({"grow"}, verbs_).error().message, HasSubstr("PLANT: missing"));
  EXPECT_THAT(ParseCommandLine({"grow", "rose", "oak"}, verbs_).error().message,
              HasSubstr("oak: unexpected; usage: hone grow [flags] PLANT"));
  EXPECT_THAT(ParseCommandLine({"grow", "rose", "--trials"}, verbs_).error().message,
              HasSubstr("--trials"));
  EXPECT_FALSE(ParseCommandLine({"grow", "rose", "--trials", "1", "--trials", "2"}, verbs_));
}

TEST_F(CommandLineTest, HelpNeedsNoOperandButTakesIt) {
  const auto bare = ParseCommandLine({"grow", "--help"}, verbs_);
  ASSERT_TRUE(bare) << bare.error().message;
  EXPECT_TRUE(bare->wants_help);
  ASSERT_TRUE(ParseCommandLine({"grow", "rose", "-h"}, verbs_));
  EXPECT_EQ(plant_, "rose");
}

TEST_F(CommandLineTest, TheWordHelpIsTheFlag) {
  const auto verb = ParseCommandLine({"help", "grow"}, verbs_);
  ASSERT_TRUE(verb) << verb.error().message;
  EXPECT_TRUE(verb->wants_help);
  ASSERT_NE(verb->verb, nullptr);
  EXPECT_EQ(verb->verb->name, "grow");
  const auto all = ParseCommandLine({"help"}, verbs_);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_TRUE(all->wants_help);
  EXPECT_EQ(all->verb, nullptr);
}

TEST_F(CommandLineTest, NoVerbIsNoError) {
  const auto command = ParseCommandLine({}, verbs_);
  ASSERT_TRUE(command);
  EXPECT_EQ(command->verb, nullptr);
}

}  // namespace
}  // namespace hone::cli
