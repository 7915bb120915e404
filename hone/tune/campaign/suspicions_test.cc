// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/suspicions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hone::tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Of so many runs: each mark stands on one of them, the others have none.
Suspicions SuspicionsOf(int runs, const std::vector<std::string>& marks) {
  Evaluation evaluation;
  evaluation.samples.resize(static_cast<std::size_t>(runs));
  for (std::size_t i = 0; i < marks.size(); ++i) evaluation.samples[i].marks = {marks[i]};
  Suspicions suspicions;
  suspicions.Add(evaluation);
  return suspicions;
}

TEST(SuspicionsTest, AQuarterOfTheRunsIsGraveUnderWhateverReasons) {
  const std::string seen = "suspicious: the benchmark opened vm.swappiness";
  const std::string ended = "suspicious: vm.swappiness was opened by a process that has ended";
  EXPECT_THAT(
      SuspicionsOf(10, {seen, seen, ended}).GraveTexts(),
      ElementsAre("the benchmark opened vm.swappiness (in 2 of 10 runs)",
                  "vm.swappiness was opened by a process that has ended (in 1 of 10 runs)"));
  const Suspicions few = SuspicionsOf(10, {seen, ended, "steal 7 %"});
  EXPECT_THAT(few.GraveTexts(), IsEmpty());
  EXPECT_EQ(few.Texts().size(), 2U);
}

TEST(SuspicionsTest, ARunWithTwoReasonsIsOneRun) {
  Evaluation evaluation;
  evaluation.samples.resize(5);
  evaluation.samples[0].marks = {"suspicious: a", "suspicious: b"};
  Suspicions suspicions;
  suspicions.Add(evaluation);
  EXPECT_THAT(suspicions.GraveTexts(), IsEmpty());
  EXPECT_THAT(Suspicions().GraveTexts(), IsEmpty());
}

}  // namespace
}  // namespace hone::tune
