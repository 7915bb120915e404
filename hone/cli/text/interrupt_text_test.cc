// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/interrupt_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using tune::Phase;

std::string FirstInterruptIn(Phase phase, bool is_comparison = false) {
  return InterruptText(1, is_comparison, phase, "hone resume toy-1");
}

TEST(InterruptTextTest, OnlyTheSearchEndsAtTheFirstInterrupt) {
  EXPECT_EQ(FirstInterruptIn(Phase::kSearch),
            "Interrupted: the search ends here; what it found so far, if anything, is proven now. "
            "Once more: stop at once, to go on later.\n");
  for (const Phase phase : {Phase::kGate, Phase::kFinals, Phase::kProof, Phase::kAblation}) {
    EXPECT_THAT(FirstInterruptIn(phase), Not(HasSubstr("ends here")));
    EXPECT_THAT(FirstInterruptIn(phase), HasSubstr("Once more: stop at once"));
  }
}

TEST(InterruptTextTest, InTheGateNothingIsSaidToBeFound) {
  EXPECT_THAT(FirstInterruptIn(Phase::kGate), HasSubstr("nothing has been tried yet"));
  EXPECT_THAT(FirstInterruptIn(Phase::kGate), Not(HasSubstr("proven")));
  EXPECT_THAT(FirstInterruptIn(Phase::kGate, true), HasSubstr("no pair has been compared yet"));
}

TEST(InterruptTextTest, AfterTheSearchItIsSaidWhatGoesOn) {
  EXPECT_THAT(FirstInterruptIn(Phase::kFinals),
              HasSubstr("finals and proof of what it found go on"));
  EXPECT_THAT(FirstInterruptIn(Phase::kProof), HasSubstr("the proof of what it found goes on"));
  EXPECT_THAT(FirstInterruptIn(Phase::kAblation), HasSubstr("what each change is worth goes on"));
}

TEST(InterruptTextTest, TheSecondOneSaysHowToGoOn) {
  EXPECT_EQ(InterruptText(2, false, Phase::kProof, "hone resume toy-1"),
            "Stopping at once; nothing measured is lost: hone resume toy-1\n");
}

}  // namespace
}  // namespace hone::cli
