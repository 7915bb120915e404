// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/drawing_ahead.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "hone/base/host.h"
#include "hone/testing/wait_until.h"

namespace hone::compute {
namespace {

Tensors One(float value) {
  Tensors tensors{Tensor::Zeros({"x", DType::kF32, {1}})};
  tensors[0].As<float>()[0] = value;
  return tensors;
}

TEST(DrawingAheadTest, GivesEveryDrawingOnce) {
  std::atomic<int> drawn = 0;
  DrawingAhead ahead(
      [&]() -> Result<DrawnInputs> { return DrawnInputs{One(static_cast<float>(++drawn))}; },
      AllowedCpus(), 3);
  std::set<float> seen;
  for (int i = 0; i < 100; ++i) {
    const auto next = ahead.Next();
    ASSERT_TRUE(next);
    EXPECT_TRUE(seen.insert(next->inputs[0].As<float>()[0]).second);
  }
}

TEST(DrawingAheadTest, EachThreadIsOneAheadAndNoMoreThanThat) {
  std::atomic<int> drawn = 0;
  {
    DrawingAhead ahead(
        [&]() -> Result<DrawnInputs> {
          ++drawn;
          return DrawnInputs{One(0)};
        },
        AllowedCpus(), 2);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(ahead.Next());
    WaitUntil([&] { return drawn >= 7; }, "both threads are one ahead");
  }
  EXPECT_EQ(drawn, 7);
}

TEST(DrawingAheadTest, AFailureIsGivenToWhoeverAsksNext) {
  DrawingAhead ahead(
      []() -> Result<DrawnInputs> {
        return Error{Errc::kUnavailable, "no numbers"};
      },
      AllowedCpus(), 1);
  const auto next = ahead.Next();
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().message, "no numbers");
}

TEST(DrawingAheadTest, EndsWithoutHavingBeenAsked) {
  const DrawingAhead ahead([]() -> Result<DrawnInputs> { return DrawnInputs{One(1)}; },
                           AllowedCpus(), 4);
}

}  // namespace
}  // namespace hone::compute
