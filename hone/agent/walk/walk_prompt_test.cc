// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/walk/walk_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/kconfig/reason/text_tree_for_test.h"
#include "hone/kconfig/reason/walk.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(WalkPromptTest, QuotedTextStaysOnItsLineAndSaysWhatWasCut) {
  EXPECT_EQ(Quoted("one\n\ttwo\x01", 100), "one two\\x01");
  EXPECT_EQ(Quoted("a\u200bb\u202ec", 100), "a\\u{200b}b\\u{202e}c");
  EXPECT_EQ(Quoted("abcdef", 3), "abc [3 more bytes cut]");
  EXPECT_EQ(Quoted("a\u00e9", 2), "a [2 more bytes cut]");
  EXPECT_EQ(Quoted("a\u00e9", 3), "a\u00e9");
}

TEST(WalkPromptTest, AQuestionShowsValuesRangesAndHelp) {
  kconfig::TextTree tree(R"(mainmenu "Test"
config NET
	bool "net"
	default y
config SHIFT
	int "shift"
	depends on NET
	range 12 25
	default 17
	help
	  How much
	  of it.
)");
  const auto page = kconfig::WalkMenu(*tree.index, tree.configuration, 0);
  const auto below = kconfig::WalkMenu(*tree.index, tree.configuration, page.questions[1].menu);
  const auto questions = QuestionsOf(tree.configuration, below, 10);
  ASSERT_EQ(questions.size(), 1U);
  const std::string text =
      QuestionText(tree.configuration, questions[0],
                   {.goal = "speed", .path = {"Test", "net"}, .honoured = {{"NET", "y"}}});
  EXPECT_EQ(text, R"(Goal: speed
You have changed 1 so far: NET=y
Menu | Test > net
Kind of question: Value
Which of these values should be changed for the goal? A line for each: NAME = VALUE.

- SHIFT
  | shift
  | now 17; from 12 to 25
  depends on | NET
  help | How much of it.
)");
}

TEST(WalkPromptTest, FeedbackNamesWhatWasRefusedAndWhatMadeNoSense) {
  Answer answer;
  EXPECT_THAT(FeedbackText(answer, {}), HasSubstr("No answer could be read"));
  answer.is_well_formed = true;
  EXPECT_EQ(FeedbackText(answer, {}), "");
  RequestVerdict honoured{.request = {"NET", "y"}, .outcome = RequestOutcome::kHonoured};
  EXPECT_EQ(FeedbackText(answer, {honoured}), "");
  RequestVerdict refused{.request = {"LOCK", "n"}, .refusal = "protected", .reason = "why\nnot"};
  answer.faults = {{"???", "expected NAME = VALUE"}};
  const std::string text = FeedbackText(answer, {honoured, refused});
  EXPECT_THAT(text, HasSubstr("refused | LOCK=n: why not"));
  EXPECT_THAT(text, HasSubstr("not understood | ???: expected NAME = VALUE"));
  EXPECT_THAT(text, Not(HasSubstr("NET")));
}

TEST(WalkPromptTest, FeedbackHasALimit) {
  Answer answer;
  answer.is_well_formed = true;
  answer.faults.resize(10'000, {std::string(10'000, 'x'), "not one of the items"});
  const std::string text = FeedbackText(answer, {});
  EXPECT_LT(text.size(), 20'000U);
  EXPECT_THAT(text, HasSubstr("and 9980 more"));
}

}  // namespace
}  // namespace hone::agent
