// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/client_limits.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "hone/base/clock.h"

namespace hone::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ClientLimitsTest, ABucketEmptiesAndFills) {
  ClientLimits limits({.connections = 1, .requests_per_second = 2, .burst = 3});
  Clock::Monotonic now{seconds{100}};
  for (int k = 0; k < 3; ++k) EXPECT_EQ(limits.Ask("a", now).count(), 0);
  EXPECT_DOUBLE_EQ(limits.Ask("a", now).count(), 0.5);
  EXPECT_EQ(limits.Ask("b", now).count(), 0);
  now += milliseconds{500};
  EXPECT_EQ(limits.Ask("a", now).count(), 0);
  EXPECT_GT(limits.Ask("a", now).count(), 0);
}

TEST(ClientLimitsTest, ConnectionsAreCountedForEachClient) {
  ClientLimits limits({.connections = 2, .requests_per_second = 0, .burst = 0});
  const Clock::Monotonic now{seconds{100}};
  EXPECT_TRUE(limits.Register("a", now));
  EXPECT_TRUE(limits.Register("a", now));
  EXPECT_FALSE(limits.Register("a", now));
  EXPECT_TRUE(limits.Register("b", now));
  limits.Leave("a");
  EXPECT_TRUE(limits.Register("a", now));
}

TEST(ClientLimitsTest, ClientsThatLeftAreForgotten) {
  ClientLimits limits({.connections = 2, .requests_per_second = 10, .burst = 10});
  Clock::Monotonic now{seconds{100}};
  for (int k = 0; k < 50'000; ++k) {
    limits.Ask("client " + std::to_string(k), now);
    now += milliseconds{1};
  }
  EXPECT_LT(limits.size(), 5'000);
}

}  // namespace
}  // namespace hone::server
