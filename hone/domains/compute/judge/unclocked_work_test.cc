// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/unclocked_work.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hone/core/rng.h"

namespace hone::compute {
namespace {

TEST(UnclockedWorkTest, WhatTheReferenceDoesToBeReadyIsFree) {
  UnclockedLimit limit;
  for (int i = 0; i < 20; ++i) limit.See(10'000);
  EXPECT_EQ(limit.ChargeFor(10'000), 0);
  EXPECT_EQ(limit.ChargeFor(13'000), 3'000);
}

TEST(UnclockedWorkTest, WhileLittleIsKnownBeingReadyCostsNothing) {
  UnclockedLimit limit;
  for (int i = 0; i < 4; ++i) limit.See(0);
  EXPECT_EQ(limit.ChargeFor(5e6), 0);
  limit.See(0);
  EXPECT_GT(limit.ChargeFor(5e6), 4e6);
}

TEST(UnclockedWorkTest, NoiseIsSeldomChargedAndWhatIsRareIsNoAllowance) {
  Rng rng(1);
  UnclockedLimit limit;
  const auto arming = [&] { return 30'000 * std::exp(0.1 * rng.Normal()); };
  for (int i = 0; i < 100; ++i) limit.See(i % 20 == 0 ? 3e6 : arming());
  int charged = 0;
  for (int i = 0; i < 1000; ++i) charged += limit.ChargeFor(arming()) > 0 ? 1 : 0;
  EXPECT_LT(charged, 20);
  EXPECT_GT(limit.ChargeFor(60'000), 15'000);
}

}  // namespace
}  // namespace hone::compute
