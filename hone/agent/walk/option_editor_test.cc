// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/walk/option_editor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/kconfig/reason/text_tree_for_test.h"

namespace hone::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kEditedTree = R"(mainmenu "Test"

config MODULES
	bool "modules"
	default y
	modules

config BUS
	bool "bus"

config CARD
	tristate "card"
	depends on BUS
	select CRC

config CRC
	tristate "crc"

config LOCK
	bool "lock"
	default y

config FAST
	bool "fast"
	depends on !LOCK

config NEVER
	bool "never"
	depends on OTHER_MACHINE

choice
	prompt "model"
	default DESKTOP
config SERVER
	bool "server"
config DESKTOP
	bool "desktop"
config HARDENED
	bool "hardened"
endchoice

config SHIFT
	int "shift"
	range 12 25
	default 17

config WORDS
	string "words"

config STEADY
	bool
	default y if DESKTOP || SERVER
)";

class OptionEditorTest : public testing::Test {
 protected:
  static Protection Rule(const std::string& option) {
    if (option == "LOCK") return {"keeps thieves out", false};
    if (option == "CRC") return {"checks", true};
    return {};
  }
  RequestVerdict Ask(const std::string& option, const std::string& value) {
    return editor_.Apply({{option, value}}).front();
  }
  std::string Value(std::string_view name) const {
    return std::string(editor_.configuration().text(tree_.Id(name)));
  }

  kconfig::TextTree tree_{kEditedTree};
  OptionEditor editor_{tree_.index, tree_.configuration, Rule};
};

TEST_F(OptionEditorTest, WhatCanBeIsHonouredWithItsConsequences) {
  EXPECT_EQ(Ask("CONFIG_BUS", "y").outcome, RequestOutcome::kHonoured);
  const RequestVerdict card = Ask("CARD", "m");
  EXPECT_EQ(card.outcome, RequestOutcome::kHonoured);
  EXPECT_THAT(card.consequences, ElementsAre(OptionChange{"CRC", "n", "m"}));
  EXPECT_EQ(Value("CARD"), "m");
}

TEST_F(OptionEditorTest, WhatNeedsAnotherOptionBringsItAlong) {
  const RequestVerdict card = Ask("CARD", "y");
  EXPECT_EQ(card.outcome, RequestOutcome::kHonoured) << card.reason;
  EXPECT_THAT(card.also_set, ElementsAre(OptionChange{"BUS", "", "y"}));
  EXPECT_EQ(Value("BUS"), "y");
  EXPECT_EQ(Value("CARD"), "y");
}

TEST_F(OptionEditorTest, WhatIsSoAlreadyChangesNothing) {
  const RequestVerdict bus = Ask("BUS", "n");
  EXPECT_EQ(bus.outcome, RequestOutcome::kAlreadySo);
  EXPECT_THAT(bus.consequences, IsEmpty());
}

TEST_F(OptionEditorTest, AProtectedOptionStaysWhateverIsAsked) {
  const RequestVerdict direct = Ask("LOCK", "n");
  EXPECT_EQ(direct.refusal, "protected");
  EXPECT_THAT(direct.reason, HasSubstr("keeps thieves out"));
  const RequestVerdict around = Ask("FAST", "y");
  EXPECT_EQ(around.outcome, RequestOutcome::kRefused);
  EXPECT_THAT(around.reason, HasSubstr("LOCK must stay y"));
  EXPECT_EQ(Value("LOCK"), "y");
}

TEST_F(OptionEditorTest, AProtectedOptionThatMayFollowFollows) {
  EXPECT_EQ(Ask("CRC", "y").refusal, "protected");
  EXPECT_EQ(Ask("CARD", "y").outcome, RequestOutcome::kHonoured);
  EXPECT_EQ(Value("CRC"), "y");
}

TEST_F(OptionEditorTest, WhatIsImpossibleIsRefusedWithTheClause) {
  const RequestVerdict never = Ask("NEVER", "y");
  EXPECT_EQ(never.refusal, "impossible");
  EXPECT_THAT(never.reason, HasSubstr("OTHER_MACHINE"));
  EXPECT_THAT(never.reason, HasSubstr("Kconfig:"));
}

TEST_F(OptionEditorTest, AValueOutOfItsRangeIsRefusedWithTheRange) {
  const RequestVerdict shift = Ask("SHIFT", "99");
  EXPECT_EQ(shift.outcome, RequestOutcome::kRefused);
  EXPECT_THAT(shift.reason, HasSubstr("12"));
  EXPECT_EQ(Value("SHIFT"), "17");
  EXPECT_EQ(Ask("SHIFT", "20").outcome, RequestOutcome::kHonoured);
  EXPECT_EQ(Ask("SHIFT", "many").refusal, "wrong_type");
}

TEST_F(OptionEditorTest, WhatNobodyKnowsIsRefusedWithNearNames) {
  const RequestVerdict verdict = Ask("CARDS", "y");
  EXPECT_EQ(verdict.refusal, "unknown_symbol");
  EXPECT_THAT(verdict.reason, HasSubstr("CARD"));
}

TEST_F(OptionEditorTest, WhatWasHonouredIsNotUndoneByAnother) {
  ASSERT_EQ(Ask("CARD", "y").outcome, RequestOutcome::kHonoured);
  const RequestVerdict bus = Ask("BUS", "n");
  EXPECT_EQ(bus.outcome, RequestOutcome::kRefused);
  EXPECT_THAT(bus.reason, HasSubstr("CARD"));
  EXPECT_EQ(Value("CARD"), "y");
  EXPECT_EQ(Ask("CARD", "n").outcome, RequestOutcome::kHonoured);
  EXPECT_EQ(Ask("BUS", "n").outcome, RequestOutcome::kHonoured);
}

TEST_F(OptionEditorTest, ContradictionsInOneAnswerAreRefusedAndTheRestIsHonoured) {
  const auto verdicts = editor_.Apply({{"BUS", "n"}, {"CARD", "y"}, {"SHIFT", "13"}});
  EXPECT_NE(verdicts[0].outcome, RequestOutcome::kRefused);
  EXPECT_EQ(verdicts[1].outcome, RequestOutcome::kRefused);
  EXPECT_THAT(verdicts[1].reason, HasSubstr("BUS must stay n"));
  EXPECT_EQ(verdicts[2].outcome, RequestOutcome::kHonoured);
  EXPECT_EQ(Value("SHIFT"), "13");
}

TEST_F(OptionEditorTest, TheOrderOfAnAnswerDoesNotMatterWhereAllOfItCanBe) {
  const auto verdicts = editor_.Apply({{"CARD", "m"}, {"BUS", "y"}});
  EXPECT_EQ(verdicts[0].outcome, RequestOutcome::kHonoured);
  EXPECT_EQ(verdicts[1].outcome, RequestOutcome::kHonoured);
  EXPECT_EQ(Value("CARD"), "m");
}

TEST_F(OptionEditorTest, AChoiceMayBeMadeAgain) {
  ASSERT_EQ(Ask("SERVER", "y").outcome, RequestOutcome::kHonoured);
  const RequestVerdict again = Ask("HARDENED", "y");
  EXPECT_EQ(again.outcome, RequestOutcome::kHonoured) << again.reason;
  EXPECT_EQ(Value("SERVER"), "n");
  EXPECT_EQ(Value("STEADY"), "n");
}

TEST_F(OptionEditorTest, ATextThatAShellWouldObeyIsRefused) {
  EXPECT_EQ(Ask("WORDS", "console=ttyS0 quiet").outcome, RequestOutcome::kHonoured);
  for (const char* hostile : {"$(shell reboot)", "`reboot`", "a;b", "\"x", "a\\b", "a\x01"}) {
    EXPECT_EQ(Ask("WORDS", hostile).refusal, "unsafe_text") << hostile;
  }
  EXPECT_EQ(Ask("WORDS", std::string(5000, 'a')).outcome, RequestOutcome::kRefused);
  EXPECT_EQ(Value("WORDS"), "console=ttyS0 quiet");
}

}  // namespace
}  // namespace hone::agent
