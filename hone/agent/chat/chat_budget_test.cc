// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/chat_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>
#include <vector>

#include "hone/core/rng.h"
#include "hone/testing/wait_until.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;

ChatUsage Usage(std::int64_t prompt, std::int64_t answer) {
  return {.prompt_tokens = prompt, .answer_tokens = answer};
}

TEST(ChatBudgetTest, WhatIsReservedSettledReleasedOrLostIsCounted) {
  ChatBudget budget({.tokens = 1000});
  {
    auto settled = budget.Reserve(Usage(100, 100), {});
    ASSERT_TRUE(settled);
    settled->Settle(Usage(30, 20));
    EXPECT_EQ(budget.spent().tokens, 50);
    auto released = budget.Reserve(Usage(100, 100), {});
    ASSERT_TRUE(released);
    released->Release();
    EXPECT_EQ(budget.spent().tokens, 50);
    auto lost = budget.Reserve(Usage(100, 100), {});
    ASSERT_TRUE(lost);
  }
  EXPECT_EQ(budget.spent().tokens, 250);
  EXPECT_EQ(budget.Describe(), "250 of 1000 tokens");
}

TEST(ChatBudgetTest, WhatDoesNotFitIsRefusedWithTheSums) {
  ChatBudget budget({.tokens = 1000}, {.tokens = 900});
  const auto refused = budget.Reserve(Usage(60, 41), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUnsupported);
  EXPECT_THAT(refused.error().message, HasSubstr("900 of 1000 tokens are spent"));
  EXPECT_THAT(refused.error().message, HasSubstr("may take 101"));
  EXPECT_TRUE(budget.Reserve(Usage(60, 40), {}));
}

TEST(ChatBudgetTest, MoneyIsExactToTheToken) {
  const TokenPrice price{.prompt = Money::Of(0.1 / 1e6), .answer = Money::Of(0.3 / 1e6)};
  EXPECT_EQ(price.prompt.picos, 100'000);
  ChatBudget budget({.tokens = {}, .money = Money::Of(1.0), .currency = "EUR"});
  // 1 EUR is 2.5 million of each.
  for (int k = 0; k < 25; ++k) {
    auto part = budget.Reserve(Usage(100'000, 100'000), price);
    ASSERT_TRUE(part) << k;
    part->Settle(Usage(100'000, 100'000));
  }
  EXPECT_EQ(budget.spent().money, Money::Of(1.0));
  const auto refused = budget.Reserve(Usage(1, 0), price);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("1 of 1 EUR are spent"));
}

TEST(ChatBudgetTest, ItsKeeperKnowsTheMostThatIsSpentBeforeARequestIsMade) {
  ChatBudget budget({.tokens = 1000}, {.tokens = 50});
  std::vector<std::int64_t> kept;
  budget.KeepBy([&](const ChatSpending& at_most) -> Result<void> {
    kept.push_back(at_most.tokens);
    if (kept.size() > 4) return Error{Errc::kUnavailable, "the disk is full"};
    return {};
  });
  {
    auto one = budget.Reserve(Usage(100, 100), {});
    auto other = budget.Reserve(Usage(10, 10), {});
    ASSERT_TRUE(one && other);
    one->Settle(Usage(30, 20));
  }  // The other is lost.
  EXPECT_EQ(kept, (std::vector<std::int64_t>{250, 270, 120, 120}));
  const auto refused = budget.Reserve(Usage(1, 1), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the disk is full");
  EXPECT_EQ(budget.spent().tokens, 120);
}

TEST(ChatBudgetTest, HugeNumbersDoNotWrapAround) {
  constexpr auto kHuge = std::numeric_limits<std::int64_t>::max();
  ChatBudget budget({.tokens = 1000, .money = Money::Of(5)});
  EXPECT_FALSE(budget.Reserve(Usage(kHuge, kHuge), {Money::Of(1e6), Money::Of(1e6)}));
  auto part = budget.Reserve(Usage(1, 1), {});
  ASSERT_TRUE(part);
  part->Settle(Usage(kHuge, kHuge));  // A server that lies.
  EXPECT_FALSE(budget.Reserve(Usage(1, 1), {}));
}

TEST(ChatBudgetTest, WhoIsOnlyInTheWayOfOthersWaitsForThem) {
  ChatBudget budget({.tokens = 100});
  auto first = budget.Reserve(Usage(50, 40), {});
  ASSERT_TRUE(first);
  std::atomic<bool> is_through = false;
  std::jthread other([&] {
    auto part = budget.Reserve(Usage(10, 10), {});
    if (part) part->Release();
    is_through = part.has_value();
  });
  first->Settle(Usage(5, 5));
  WaitUntil([&] { return is_through.load(); }, "the other has its part");
}

TEST(ChatBudgetTest, AStopEndsTheWaiting) {
  ChatBudget budget({.tokens = 100});
  auto first = budget.Reserve(Usage(50, 40), {});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(budget.Reserve(Usage(10, 10), {}, stop.get_token()).error().code, Errc::kUnavailable);
}

TEST(ChatBudgetTest, ManyAtOnceNeverSpendMoreThanThereIs) {
  ChatBudget budget({.tokens = 100'000});
  std::atomic<std::int64_t> spent = 0;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      threads.emplace_back([&, seed] {
        Rng random(seed);
        for (int k = 0; k < 500; ++k) {
          const auto max = static_cast<std::int64_t>(random.Below(400) + 1);
          auto part = budget.Reserve(Usage(max, max), {});
          if (!part) continue;
          const auto used =
              static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(max)));
          spent += 2 * used;
          part->Settle(Usage(used, used));
        }
      });
    }
  }
  EXPECT_EQ(budget.spent().tokens, spent);
  EXPECT_LE(spent, 100'000);
  EXPECT_GT(spent, 90'000);
}

}  // namespace
}  // namespace hone::agent
