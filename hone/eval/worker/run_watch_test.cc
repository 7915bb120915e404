// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/run_watch.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(RunWatchTest, KnowsThisMachineAndCanBeUsedAgainAndAgain) {
  const std::unique_ptr<RunWatch> watch = MakeMachineRunWatch(SystemClock());
  EXPECT_FALSE(watch->Facts().empty());
  for (int i = 0; i < 3; ++i) {
    watch->Begin();
    for (const std::string& mark : watch->End()) EXPECT_FALSE(mark.empty());
  }
}

}  // namespace
}  // namespace hone
