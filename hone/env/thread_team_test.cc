// SPDX-License-Identifier: Apache-2.0
#include "hone/env/thread_team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>

namespace hone::env {
namespace {

TEST(ThreadTeamTest, DoesEveryPartOfEveryJobOnce) {
  for (const std::size_t threads : {1U, 2U, 5U}) {
    ThreadTeam team(threads);
    for (const std::size_t count : {0U, 1U, 3U, 100U}) {
      std::vector<std::atomic<int>> done(count);
      for (int job = 0; job < 200; ++job) {
        team.Do(count, [&](std::size_t i) { ++done[i]; });
      }
      for (const auto& times : done) EXPECT_EQ(times, 200);
    }
  }
}

TEST(ThreadTeamTest, PartsRunAtTheSameTime) {
  ThreadTeam team(3);
  std::barrier meeting(3);  // Passed only if three parts are under way together.
  team.Do(3, [&](std::size_t) { meeting.arrive_and_wait(); });
}

TEST(ThreadTeamTest, OneThreadIsTheCallers) {
  ThreadTeam team(1);
  std::thread::id worker;
  team.Do(1, [&](std::size_t) { worker = std::this_thread::get_id(); });
  EXPECT_EQ(worker, std::this_thread::get_id());
}

}  // namespace
}  // namespace hone::env
