// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/variant_lots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace hone::compute {
namespace {

TEST(VariantLotsTest, EachComesAsOftenAsEveryOther) {
  VariantLots lots(3);
  Rng rng(1);
  std::array<int, 3> seen{};
  for (int i = 0; i < 600; ++i) ++seen.at(lots.Next(rng));
  EXPECT_THAT(seen, ::testing::Each(200));
}

TEST(VariantLotsTest, WhatDidNotCountComesAgainHoweverOften) {
  VariantLots lots(4);
  Rng rng(1);
  std::array<int, 4> counted{};
  for (int i = 0; i < 2000; ++i) {
    const std::size_t variant = lots.Next(rng);
    // Somebody who wants to be seen with the first one leaves out half of the others.
    if (variant != 0 && rng.Coin()) {
      lots.Again(variant);
    } else {
      ++counted.at(variant);
    }
  }
  const double share = counted[0] / (1.0 * counted[0] + counted[1] + counted[2] + counted[3]);
  EXPECT_NEAR(share, 0.25, 0.01);
}

TEST(VariantLotsTest, TheOrderIsAnotherOneEachTime) {
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    VariantLots lots(4);
    Rng rng(seed);
    std::vector<std::size_t> order;
    for (int i = 0; i < 8; ++i) order.push_back(lots.Next(rng));
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 15U);
}

}  // namespace
}  // namespace hone::compute
