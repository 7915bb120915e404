// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/open_tasks.h"

#include <gtest/gtest.h>

#include <string>

namespace hone::server {
namespace {

Task TaskNamed(const std::string& id, std::size_t bytes = 0) {
  Task task;
  task.id = id;
  task.candidate.source = std::string(bytes, 'x');
  return task;
}

TEST(OpenTasksTest, ATaskIsKnownUntilItIsSettled) {
  OpenTasks open;
  open.Add(TaskNamed("a"));
  EXPECT_EQ(open.Find("a"), TaskNamed("a"));
  open.Remove("a");
  EXPECT_FALSE(open.Find("a"));
  open.Remove("a");
}

TEST(OpenTasksTest, WhatIsAddedTwiceIsCountedOnce) {
  OpenTasks open(10'000);
  for (int i = 0; i < 100; ++i) open.Add(TaskNamed("a", 1'000));
  open.Add(TaskNamed("b", 1'000));
  EXPECT_TRUE(open.Find("b"));
}

TEST(OpenTasksTest, ThereIsRoomForSoManyBytesAndAgainWhenSomeAreSettled) {
  OpenTasks open(10'000);
  open.Add(TaskNamed("a", 8'000));
  open.Add(TaskNamed("b", 8'000));
  EXPECT_FALSE(open.Find("b"));
  open.Remove("a");
  open.Add(TaskNamed("b", 8'000));
  EXPECT_TRUE(open.Find("b"));
}

}  // namespace
}  // namespace hone::server
