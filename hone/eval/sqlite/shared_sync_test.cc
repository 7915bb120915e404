// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/sqlite/shared_sync.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "hone/testing/wait_until.h"

namespace hone {
namespace {

TEST(SharedSyncTest, WhatWasWrittenBeforeTheCallIsOnDiskAfterIt) {
  std::atomic<int> written = 0;
  std::atomic<int> on_disk = 0;
  std::atomic<int> syncs = 0;
  constexpr int kThreads = 8;
  constexpr int kEach = 30;
  SharedSync sync([&]() -> Result<void> {
    const int seen = written;
    WaitUntil([&] { return written >= kThreads; }, "the others have come, and share the next one");
    on_disk = seen;
    ++syncs;
    return {};
  });
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < kEach; ++k) {
          const int mine = ++written;
          EXPECT_TRUE(sync.Wait());
          EXPECT_GE(on_disk, mine);
        }
      });
    }
  }
  EXPECT_LT(syncs, kThreads * kEach) << "nothing was shared";
}

TEST(SharedSyncTest, EveryoneWhomAFailureConcernsIsTold) {
  std::atomic<bool> is_broken = true;
  SharedSync sync([&]() -> Result<void> {
    if (is_broken) return Error{Errc::kUnavailable, "disk: gone"};
    return {};
  });
  std::atomic<int> told = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] { told += sync.Wait() ? 0 : 1; });
    }
  }
  EXPECT_EQ(told, 8);
  is_broken = false;
  EXPECT_TRUE(sync.Wait());
}

}  // namespace
}  // namespace hone
