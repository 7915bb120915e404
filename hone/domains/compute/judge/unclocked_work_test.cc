// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/unclocked_work.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hone/core/rng.h"

namespace hone::compute {
namespace {

TEST(UnclockedWorkTest, WhatTheReferenceDoesTooIsFree) {
  UnclockedLimit limit;
  for (int i = 0; i < 20; ++i) limit.See({10'000, 100'000});
  EXPECT_EQ(limit.ChargeFor({10'000, 100'000}, 40'000), 0);
  EXPECT_EQ(limit.ChargeFor({13'000, 0}, 40'000), 3'000);
  EXPECT_EQ(limit.ChargeFor({0, 150'000}, 40'000), 50'000);
  EXPECT_EQ(limit.ChargeFor({0, 150'000}, 80'000), 0) << "less than twice its own call";
}

TEST(UnclockedWorkTest, WhileLittleIsKnownNothingIsCharged) {
  UnclockedLimit limit;
  for (int i = 0; i < 4; ++i) limit.See({});
  EXPECT_EQ(limit.ChargeFor({5e6, 5e6}, 1), 0);
  limit.See({});
  EXPECT_GT(limit.ChargeFor({5e6, 0}, 1), 4e6);
}

TEST(UnclockedWorkTest, NoiseIsSeldomChargedAndWhatIsRareIsNoAllowance) {
  Rng rng(1);
  UnclockedLimit limit;
  const auto arming = [&] { return 30'000 * std::exp(0.1 * rng.Normal()); };
  for (int i = 0; i < 100; ++i) limit.See({i % 20 == 0 ? 3e6 : arming(), 0});
  int charged = 0;
  for (int i = 0; i < 1000; ++i) charged += limit.ChargeFor({arming(), 0}, 100'000) > 0 ? 1 : 0;
  EXPECT_LT(charged, 20);
  EXPECT_GT(limit.ChargeFor({60'000, 0}, 100'000), 15'000);
}

}  // namespace
}  // namespace hone::compute
