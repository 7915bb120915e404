// SPDX-License-Identifier: Apache-2.0
#include "hone/base/json/json_frames.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "hone/base/descriptor.h"

namespace hone {
namespace {

struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    one = Descriptor(ends[0]);
    other = Descriptor(ends[1]);
  }
  Descriptor one;
  Descriptor other;
};

TEST(FramesTest, FollowOneAnother) {
  const Pair pair;
  ASSERT_TRUE(SendFrame(pair.one.get(), {{"a", 1}}));
  ASSERT_TRUE(SendFrame(pair.one.get(), "b"));
  EXPECT_EQ(*ReceiveFrame(pair.other.get()), Json({{"a", 1}}));
  EXPECT_EQ(*ReceiveFrame(pair.other.get()), Json("b"));
}

TEST(FramesTest, AnEndInTheMiddleIsTheOtherSidesEnd) {
  Pair pair;
  ASSERT_EQ(::send(pair.one.get(), "\x09\0\0\0{}", 6, 0), 6);
  pair.one.Close();
  const auto got = ReceiveFrame(pair.other.get());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Errc::kUnavailable);
}

TEST(FramesTest, AHugeFrameIsRefusedBeforeItIsRead) {
  const Pair pair;
  ASSERT_EQ(::send(pair.one.get(), "\xff\xff\xff\xff", 4, 0), 4);
  const auto got = ReceiveFrame(pair.other.get());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Errc::kCorrupt);
}

TEST(FramesTest, NobodyToSendToIsAnError) {
  Pair pair;
  pair.other.Close();
  EXPECT_EQ(SendFrame(pair.one.get(), 1).error().code, Errc::kUnavailable);
}

TEST(FramesTest, NothingUntilTheDeadlineIsStale) {
  const Pair pair;
  const auto got = ReceiveFrame(pair.other.get(), std::chrono::steady_clock::now());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Errc::kStale);
}

TEST(FramesTest, OneThatStopsInTheMiddleIsStaleToo) {
  const Pair pair;
  ASSERT_EQ(::send(pair.one.get(), "\x09\0\0\0{}", 6, 0), 6);
  const auto got = ReceiveFrame(pair.other.get(),
                                std::chrono::steady_clock::now() + std::chrono::milliseconds{5});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Errc::kStale);
}

}  // namespace
}  // namespace hone
