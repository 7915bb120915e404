// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/runner_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <utility>

namespace hone::compute {
namespace {

using ::testing::HasSubstr;
using Kind = RunnerFault::Kind;

// One that has ended in a given way.
class OverSandbox final : public RunningSandbox {
 public:
  explicit OverSandbox(Result<SandboxResult> result) : result_(std::move(result)) {}
  int pidfd() const override { return -1; }
  int Threads() override { return 0; }
  void Kill() override {}
  bool WaitFor(std::chrono::milliseconds) override { return true; }
  const Result<SandboxResult>& Wait() override { return result_; }

 private:
  Result<SandboxResult> result_;
};

OverSandbox DiedBy(int signal, bool is_memory_exceeded) {
  SandboxResult result;
  result.end = SandboxResult::End::kSignalled;
  result.status = signal;
  result.is_memory_exceeded = is_memory_exceeded;
  return OverSandbox(result);
}

Tensor ThreeFloats() {
  Tensor tensor = Tensor::Zeros({"x", DType::kF32, {3}});
  tensor.As<float>()[2] = 7;
  return tensor;
}

TEST(RunnerFaultsTest, WhatARunnerDiesOfIsItsOwnFault) {
  OverSandbox crashed = DiedBy(SIGSEGV, false);
  EXPECT_EQ(FaultOfDeath(crashed, 3).kind, Kind::kCrashed);
  EXPECT_FALSE(FailureIn(FaultOfDeath(crashed, 3)));
  OverSandbox greedy = DiedBy(SIGKILL, true);
  EXPECT_EQ(FaultOfDeath(greedy, 3).kind, Kind::kOutOfMemory);
  EXPECT_FALSE(FailureIn(FaultOfDeath(greedy, 3)));
  EXPECT_FALSE(FailureIn(std::nullopt));
}

// A candidate would have crashed because the machine was short of memory, say.
TEST(RunnerFaultsTest, WhoeverWasEndedByOthersIsAFailureOfOurs) {
  OverSandbox killed = DiedBy(SIGKILL, false);
  OverSandbox gone(Error{Errc::kUnavailable, "its sandbox was ended by somebody else"});
  for (OverSandbox* sandbox : {&killed, &gone}) {
    const auto failure = FailureIn(FaultOfDeath(*sandbox, 3));
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code, Errc::kUnavailable);
  }
  EXPECT_THAT(FailureIn(FaultOfDeath(killed, 3))->message,
              HasSubstr("killed from outside in call 3"));
}

TEST(RunnerFaultsTest, FirstElementThatIsNotWhatItWasIsToldWithBothValues) {
  const Tensor before = ThreeFloats();
  Tensor after = before;
  after.As<float>()[1] = 5;
  after.As<float>()[2] = 6;
  const auto changed = FindChange(before, after.bytes.data(), 4);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->input, 4U);
  EXPECT_EQ(changed->index, 1);
  EXPECT_EQ(changed->before, 0);
  EXPECT_EQ(changed->after, 5);
}

// What was seen to differ may be put back before it is copied.
TEST(RunnerFaultsTest, CopyThatIsEqualHasNoFirstElement) {
  EXPECT_FALSE(FirstChange(ThreeFloats(), ThreeFloats(), 0));
}

}  // namespace
}  // namespace hone::compute
