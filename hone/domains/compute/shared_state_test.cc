// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/shared_state.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "hone/base/clock.h"
#include "hone/domains/compute/runner/fake_runner_for_test.h"
#include "hone/testing/fake_clock.h"

namespace hone::compute {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

class SharedStateTest : public ::testing::Test {
 protected:
  void Give(const std::string& key, const HeldMemory& memory) {
    auto runner = std::make_unique<FakeRunner>(
        clock_, nullptr, [](std::int64_t) { return FakeRunner::Behaviour{}; });
    runner->Hold(memory);
    state_.GiveRunner(key, std::move(runner));
  }
  bool Has(const std::string& key) { return state_.TakeRunner(key) != nullptr; }

  FakeClock clock_;
  SharedState state_{"", {}};
};

TEST_F(SharedStateTest, MemoryThatRunnersShareIsCountedOnce) {
  const int arrays = 0;
  for (const char* const key : {"a", "b", "c", "d"}) {
    Give(key, {.own_bytes = kMiB, .shared = &arrays, .shared_bytes = 1500 * kMiB});
  }
  for (const char* const key : {"a", "b", "c", "d"}) EXPECT_TRUE(Has(key)) << key;
}

TEST_F(SharedStateTest, MemoryOfTheirOwnAndOfOtherRunnersIsCountedForEach) {
  const int arrays = 0;
  const int others = 0;
  Give("a", {.own_bytes = 1500 * kMiB});
  Give("b", {.own_bytes = 1500 * kMiB});
  EXPECT_FALSE(Has("a")) << "it was the oldest";
  EXPECT_TRUE(Has("b"));
  Give("c", {.own_bytes = kMiB, .shared = &arrays, .shared_bytes = 1500 * kMiB});
  Give("d", {.own_bytes = kMiB, .shared = &others, .shared_bytes = 1500 * kMiB});
  EXPECT_FALSE(Has("c"));
  EXPECT_TRUE(Has("d"));
}

TEST_F(SharedStateTest, OneThatHoldsMoreThanAllMayIsEndedAtOnce) {
  Give("a", {.own_bytes = 3000 * kMiB});
  EXPECT_FALSE(Has("a"));
}

}  // namespace
}  // namespace hone::compute
