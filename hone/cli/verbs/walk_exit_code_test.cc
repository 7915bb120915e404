// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/walk_exit_code.h"

#include <gtest/gtest.h>

#include <map>

namespace hone::cli {
namespace {

using agent::WalkEnd;
using kernels::ComparisonAnswer;

TEST(WalkExitCodeTest, AWalkIsDoneWithSomethingHonouredOrNothingOrHasNoEnd) {
  EXPECT_EQ(ExitCodeOfWalk(WalkEnd::kDone, true), ExitCode::kYes);
  EXPECT_EQ(ExitCodeOfWalk(WalkEnd::kDone, false), ExitCode::kNo);
  for (const bool has_honoured : {false, true}) {
    for (const WalkEnd end : {WalkEnd::kModelFailed, WalkEnd::kUnreadable}) {
      EXPECT_EQ(ExitCodeOfWalk(end, has_honoured), ExitCode::kFailed) << NameOf(end);
    }
    for (const WalkEnd end :
         {WalkEnd::kQuestions, WalkEnd::kTokens, WalkEnd::kStopped, WalkEnd::kLogEnded}) {
      EXPECT_EQ(ExitCodeOfWalk(end, has_honoured), ExitCode::kNotEnough) << NameOf(end);
    }
  }
}

// What came of the measurement, and how that ends where the walk was done and where it was not.
TEST(WalkExitCodeTest, WhatWasMeasuredIsTheAnswer) {
  const std::map<ComparisonAnswer, ExitCode> done = {
      {ComparisonAnswer::kBetter, ExitCode::kYes},
      {ComparisonAnswer::kWorse, ExitCode::kNo},
      {ComparisonAnswer::kEqual, ExitCode::kNo},
      {ComparisonAnswer::kNoDifferenceShown, ExitCode::kNo},
      {ComparisonAnswer::kFailed, ExitCode::kNo},
      {ComparisonAnswer::kNotEnough, ExitCode::kNotEnough},
      {ComparisonAnswer::kDoesNotRun, ExitCode::kDoesNotRun}};
  for (const auto& [measured, expected] : done) {
    for (const ExitCode walked : {ExitCode::kYes, ExitCode::kNo}) {
      EXPECT_EQ(ExitCodeOfMeasuredWalk(walked, measured), expected) << NameOf(measured);
    }
    for (const ExitCode walked : {ExitCode::kFailed, ExitCode::kNotEnough}) {
      EXPECT_EQ(ExitCodeOfMeasuredWalk(walked, measured),
                expected == ExitCode::kNo ? walked : expected)
          << NameOf(measured);
    }
  }
}

}  // namespace
}  // namespace hone::cli
