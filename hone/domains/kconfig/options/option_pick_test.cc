// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/options/option_pick.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/kconfig/reason/text_tree_for_test.h"

namespace hone::kernels {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kPickTree[] = R"(mainmenu "A kernel"
config MODULES
	bool "Modules"
	modules
	default y
menu "Processor"
config FAST
	bool "Fast calls"
config CARD
	tristate "A driver"
config BELOW_FAST
	bool "Only with fast calls"
	depends on FAST
config HELD
	bool "Held"
config HOLDER
	bool "Holder"
	default y
	select HELD
config SPEED
	int "Speed"
	range 1 9
	default 3
config SHIFT
	hex "Shift"
	range 0x10 0x20
	default 0x10
config FREE
	int "A number without a range"
	default 3
config NAME
	string "A name"
config QUIET
	bool
config WALL
	bool "A wall"
	default y
config ROOT
	bool "What the guest needs"
	default y
menu "Ticks"
choice
	prompt "Timer frequency"
	default HZ_250
config HZ_100
	bool "100"
config HZ_250
	bool "250"
endchoice
choice
	prompt "Kind of wall"
	default WALL_THICK
config WALL_THIN
	bool "thin"
config WALL_THICK
	bool "thick"
endchoice
endmenu
endmenu
menu "Elsewhere"
config OTHER
	bool "Another one"
endmenu
)";

constexpr char kPickKnowledge[] = R"({"format": "hone-kernel-options", "format_version": 1,
"options": [
{"name": "FAST", "about": ["system calls"], "better": {"throughput": "y"}, "why": "w.", "source": "s"},
{"name": "CARD", "about": ["network"], "better": {"size": "n"}, "why": "w.", "source": "s"},
{"name": "SPEED", "about": ["memory"], "better": {"throughput": "higher"}, "why": "w.", "source": "s"},
{"name": "SHIFT", "about": ["debugging"], "better": {"memory": "lower"}, "why": "w.", "source": "s"},
{"name": "BELOW_FAST", "about": ["system calls"], "better": {"size": "n"}, "why": "w.", "source": "s"},
{"name": "HZ_100", "about": ["timers"], "better": {"throughput": "y"}, "why": "w.", "source": "s"},
{"name": "WALL", "about": ["system calls"], "better": {"throughput": "n"}, "why": "w.", "source": "s",
 "protected": "security"},
{"name": "WALL_THIN", "about": ["system calls"], "better": {"throughput": "y"}, "why": "w.",
 "source": "s", "protected": "security"},
{"name": "ROOT", "about": ["system calls"], "better": {"throughput": "n"}, "why": "w.", "source": "s",
 "protected": "boot"},
{"name": "GONE", "about": ["system calls"], "better": {"throughput": "n"}, "why": "w.", "source": "s"}
]})";

std::string KeptInTest(const std::string& name) {
  return name.starts_with("WALL") || name == "ROOT" ? "it is kept" : "";
}

class OptionPickTest : public ::testing::Test {
 protected:
  PickedOptions Pick(const PickRequest& request) {
    auto picked = PickOptions(tree_.configuration, request, KeptInTest, knowledge_);
    EXPECT_TRUE(picked) << picked.error().message;
    return picked ? std::move(*picked) : PickedOptions{};
  }
  std::string LinesAbout(const std::string& sentence) { return Pick({"", sentence, ""}).lines; }
  std::string FaultOfPick(const PickRequest& request) {
    const auto picked = PickOptions(tree_.configuration, request, KeptInTest, knowledge_);
    return picked ? "no fault" : picked.error().message;
  }

  kconfig::TextTree tree_{kPickTree};
  OptionKnowledge knowledge_ = OptionKnowledge::Read(kPickKnowledge, "known").value();
};

TEST_F(OptionPickTest, AMenuIsAllThatAPersonCouldSetInItNow) {
  EXPECT_EQ(Pick({"Processor", "", ""}).lines, "FAST\nCARD=n|m|y\nHOLDER\nSPEED\nSHIFT\nHZ_100\n");
  EXPECT_EQ(Pick({"processor; Elsewhere", "", ""}).lines,
            "FAST\nCARD=n|m|y\nHOLDER\nSPEED\nSHIFT\nHZ_100\nOTHER\n");
}

TEST_F(OptionPickTest, WhatIsLeftOutIsSaidWithTheReason) {
  const auto notes = Pick({"Processor", "", ""}).notes;
  EXPECT_EQ(notes.at(0),
            "menu \"Processor\": 6 may change: FAST, CARD, HOLDER, SPEED, SHIFT, Timer frequency");
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("left out, 3 protected"),
                                    HasSubstr("ROOT, WALL, WALL_THIN"))));
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("1 held by other options"), HasSubstr("HELD"))));
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("2 without a range"), HasSubstr("FREE, NAME"))));
}

TEST_F(OptionPickTest, WhatBecomesVisibleIsPickedToo) {
  tree_.Set("FAST", "y");
  EXPECT_THAT(Pick({"Processor", "", ""}).lines, HasSubstr("BELOW_FAST\n"));
}

TEST_F(OptionPickTest, WhatIsNamedIsNotPickedAgain) {
  const auto picked = Pick({"Processor", "", "FAST,SPEED=2..3,HZ_250"});
  EXPECT_EQ(picked.lines, "CARD=n|m|y\nHOLDER\nSHIFT\n");
  EXPECT_EQ(Pick({"", "", "FAST"}).lines, "");
  EXPECT_THAT(Pick({"", "", "FAST"}).notes, IsEmpty());
}

TEST_F(OptionPickTest, ASentencePicksWhatMattersForItsSubjectsAndQualities) {
  EXPECT_EQ(LinesAbout("faster system calls"), "FAST\n");
  EXPECT_EQ(LinesAbout("faster"), "FAST\nSPEED\nHZ_100\n");
  EXPECT_EQ(LinesAbout("faster, but not the timers"), "FAST\nSPEED\n");
  EXPECT_EQ(LinesAbout("a smaller kernel"), "CARD=n|m|y\n");
  EXPECT_EQ(LinesAbout("less memory"), "SPEED\nSHIFT\n");
  EXPECT_EQ(LinesAbout("faster memory"), "SPEED\n");
}

TEST_F(OptionPickTest, ASentenceAndAMenuAndNamesGoTogether) {
  const auto picked = Pick({"Elsewhere", "timers, purple", "FAST"});
  EXPECT_EQ(picked.lines, "OTHER\nHZ_100\n");
  EXPECT_THAT(picked.notes,
              ElementsAre("menu \"Elsewhere\": 1 may change: OTHER",
                          "about timers (not understood: purple): 1 may change: Timer frequency"));
}

TEST_F(OptionPickTest, SecurityIsKeptUnlessTheSentenceGivesItUp) {
  for (const char* sentence : {"faster system calls", "faster system calls, keep security"}) {
    const auto picked = Pick({"", sentence, ""});
    EXPECT_EQ(picked.lines, "FAST\n");
    EXPECT_THAT(picked.allowed, IsEmpty());
    EXPECT_THAT(picked.notes, Contains(AllOf(HasSubstr("protected"), HasSubstr("WALL"))));
  }
  EXPECT_EQ(Pick({"", "faster timers, keep security", ""}).notes.at(0),
            "about throughput (faster), timers, security is kept: 1 may change: Timer frequency");
  const auto picked = Pick({"", "faster system calls, give up security", ""});
  EXPECT_EQ(picked.lines, "FAST\nWALL\nWALL_THIN\n");
  EXPECT_THAT(picked.allowed, ElementsAre("WALL", "WALL_THIN", "WALL_THICK"));
  EXPECT_THAT(picked.notes, Contains("security is given up in: WALL, Kind of wall"));
  EXPECT_THAT(picked.notes, Contains(AllOf(HasSubstr("protected"), HasSubstr(": ROOT"))));
}

TEST_F(OptionPickTest, WhatIsAllowedByNameIsPicked) {
  EXPECT_THAT(Pick({"Processor", "", "", {"WALL"}}).lines, HasSubstr("WALL\n"));
}

TEST_F(OptionPickTest, WhatIsNotInTheTreeOrHiddenIsSaid) {
  const auto notes = Pick({"", "system calls", ""}).notes;
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("not in this tree"), HasSubstr("GONE"))));
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("before others are"), HasSubstr("BELOW_FAST"))));
}

TEST_F(OptionPickTest, WhatCannotBePickedIsAnErrorThatSaysWhy) {
  EXPECT_THAT(FaultOfPick({"Procesor", "", ""}), HasSubstr("did you mean \"Processor\"?"));
  EXPECT_THAT(FaultOfPick({"", "purple elephants", ""}),
              AllOf(HasSubstr("purple"), HasSubstr("system calls")));
  EXPECT_THAT(FaultOfPick({"", "give up security", ""}), HasSubstr("no known option"));
  EXPECT_THAT(FaultOfPick({"", "accounting", ""}), HasSubstr("no known option"));
  EXPECT_THAT(FaultOfPick({"", "", "FASTT"}), HasSubstr("FAST"));
  const kconfig::TextTree walls("menu \"Walls\"\nconfig WALL\n\tbool \"A wall\"\nendmenu\n");
  const auto none = PickOptions(walls.configuration, {"Walls", "", ""}, KeptInTest, knowledge_);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message,
              AllOf(HasSubstr("no option may change"), HasSubstr("protected"), HasSubstr("WALL")));
}

TEST_F(OptionPickTest, LongListsAreCut) {
  std::string many = "menu \"Many\"\n";
  for (int k = 10; k < 30; ++k) many += fmt::format("config X{0}\n\tbool \"x {0}\"\n", k);
  const kconfig::TextTree tree(many + "endmenu\n");
  const auto picked = PickOptions(tree.configuration, {"Many", "", ""}, KeptInTest, knowledge_);
  ASSERT_TRUE(picked);
  EXPECT_THAT(picked->notes.at(0), AllOf(HasSubstr("20 may change"), HasSubstr("X21 and 8 more")));
}

}  // namespace
}  // namespace hone::kernels
