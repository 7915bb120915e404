// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/async.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <optional>
#include <stdexcept>
#include <utility>

#include "hone/server/http/thread_pool.h"
#include "hone/testing/wait_until.h"

namespace hone::server {
namespace {

Async<int> Sum(Delivery<int>& first, Delivery<int>& second) {
  const int one = co_await first.Receive();
  const int two = co_await second.Receive();
  co_return one + two;
}

Async<int> Throws() {
  throw std::runtime_error("no");
  co_return 0;
}

TEST(AsyncTest, WaitsWithoutAThreadAndGoesOnInThePool) {
  ThreadPool pool(2);
  const auto post = [&pool](std::function<void()> work) { pool.Post(std::move(work)); };
  Delivery<int> first(post);
  Delivery<int> second(post);
  std::latch done(1);
  std::atomic<int> sum = 0;
  Start(Sum(first, second), [&](std::optional<int> value, const std::exception_ptr&) {
    sum = *value;
    done.count_down();
  });
  EXPECT_TRUE(second.Deliver(40));
  EXPECT_FALSE(second.Deliver(50));
  EXPECT_TRUE(first.Deliver(2));
  WaitUntil([&] { return done.try_wait(); }, "both were delivered");
  EXPECT_EQ(sum, 42);
}

TEST(AsyncTest, AnExceptionReachesWhoStartedIt) {
  bool has_problem = false;
  Start(Throws(), [&](std::optional<int> value, const std::exception_ptr& problem) {
    has_problem = !value && problem != nullptr;
  });
  EXPECT_TRUE(has_problem);
}

}  // namespace
}  // namespace hone::server
