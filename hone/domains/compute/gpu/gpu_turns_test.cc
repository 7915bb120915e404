// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/gpu_turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stop_token>

#include "hone/base/temp_dir.h"
#include "hone/testing/wait_until.h"

namespace hone::compute {
namespace {

class GpuTurnsTest : public ::testing::Test {
 protected:
  TempDir folder_ = TempDir::Make("hone-turns").value();
  GpuTurns ours_{folder_.path(), "GPU-1"};
  GpuTurns theirs_{folder_.path(), "GPU-1"};  // Another process, as far as files go.
};

TEST_F(GpuTurnsTest, OneEvaluationHasTheGpuAtATime) {
  auto first = ours_.Evaluate();
  std::atomic<bool> is_first_over = false;
  auto second = std::async(std::launch::async, [&] {
    const auto turn = theirs_.Evaluate();
    return is_first_over.load();
  });
  is_first_over = true;
  first.reset();
  EXPECT_TRUE(second.get());
}

TEST_F(GpuTurnsTest, SeveralShareAndNobodyEvaluatesMeanwhile) {
  auto one = ours_.Share({});
  auto other = theirs_.Share({});
  ASSERT_NE(one, nullptr);
  ASSERT_NE(other, nullptr);
  std::atomic<bool> are_over = false;
  auto turn = std::async(std::launch::async, [&] {
    const auto mine = theirs_.Evaluate();
    return are_over.load();
  });
  one.reset();
  are_over = true;
  other.reset();
  EXPECT_TRUE(turn.get());
}

TEST_F(GpuTurnsTest, NobodySharesWhileOneEvaluates) {
  auto turn = ours_.Evaluate();
  std::stop_source stop;
  auto sharing = std::async(std::launch::async, [&] { return theirs_.Share(stop.get_token()); });
  stop.request_stop();
  EXPECT_EQ(sharing.get(), nullptr);
  turn.reset();
  EXPECT_NE(theirs_.Share({}), nullptr);
}

TEST_F(GpuTurnsTest, WhoSharesMayMakeAContext) {
  const auto shared = ours_.Share({});
  EXPECT_NE(ours_.MakeContext({}), nullptr);
}

TEST_F(GpuTurnsTest, AnotherGpuIsNotWaitedFor) {
  const auto turn = ours_.Evaluate();
  EXPECT_NE(GpuTurns(folder_.path(), "GPU-2").Evaluate(), nullptr);
}

TEST_F(GpuTurnsTest, ContextsAreMadeSideBySideAndDuringAnEvaluation) {
  const auto turn = ours_.Evaluate();
  const auto one = ours_.MakeContext({});
  const auto other = theirs_.MakeContext({});
  EXPECT_NE(one, nullptr);
  EXPECT_NE(other, nullptr);
}

TEST_F(GpuTurnsTest, NobodyMakesAContextWhileOneTimes) {
  auto timing = ours_.Time();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(theirs_.MakeContext(stop.get_token()), nullptr);
  timing.reset();
  EXPECT_NE(theirs_.MakeContext(stop.get_token()), nullptr);
}

TEST_F(GpuTurnsTest, TimingWaitsForAContextThatIsBeingMade) {
  auto making = theirs_.MakeContext({});
  std::atomic<bool> is_made = false;
  auto timing = std::async(std::launch::async, [&] {
    const auto still = ours_.Time();
    return is_made.load();
  });
  is_made = true;
  making.reset();
  EXPECT_TRUE(timing.get());
}

TEST_F(GpuTurnsTest, WhoWantsToTimeGoesBeforeContextsThatAreBegunLater) {
  auto making = theirs_.MakeContext({});
  std::atomic<bool> is_over = false;
  auto timing = std::async(std::launch::async, [&] {
    const auto still = ours_.Time();
    WaitUntil([&] { return is_over.load(); }, "the timing is over");
  });
  std::stop_source stop;
  stop.request_stop();
  WaitUntil([&] { return theirs_.MakeContext(stop.get_token()) == nullptr; },
            "the other one waits");
  making.reset();
  EXPECT_EQ(theirs_.MakeContext(stop.get_token()), nullptr);
  is_over = true;
  timing.get();
  EXPECT_NE(theirs_.MakeContext(stop.get_token()), nullptr);
}

TEST_F(GpuTurnsTest, WithoutAFolderNobodyWaits) {
  const GpuTurns nowhere(folder_.path() / "missing", "GPU-1");
  const auto turn = nowhere.Evaluate();
  const auto timing = nowhere.Time();
  EXPECT_NE(nowhere.MakeContext({}), nullptr);
}

}  // namespace
}  // namespace hone::compute
