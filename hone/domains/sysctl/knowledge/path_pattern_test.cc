// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/path_pattern.h"

#include <gtest/gtest.h>

namespace hone::sysctl {
namespace {

using Stars = std::vector<std::string>;

TEST(PathPatternTest, AStarStandsForAnyLettersButASlash) {
  EXPECT_EQ(MatchPattern("/sys/block/*/queue/scheduler", "/sys/block/vda/queue/scheduler"),
            Stars{"vda"});
  EXPECT_EQ(MatchPattern("/a/*/b-*kB/c", "/a/x/b-64kB/c"), (Stars{"x", "64"}));
  EXPECT_EQ(MatchPattern("/a/panic*", "/a/panic"), Stars{""});
  EXPECT_EQ(MatchPattern("/a/*_panic", "/a/x_panic_panic"), Stars{"x_panic"});
  EXPECT_EQ(MatchPattern("/a/b", "/a/b"), Stars{});
  EXPECT_FALSE(MatchPattern("/sys/block/*/queue", "/sys/block/a/b/queue"));
  EXPECT_FALSE(MatchPattern("/a/b", "/a/c"));
  EXPECT_EQ(MatchPattern("/g/**/cpu.weight", "/g/a/b/cpu.weight"), Stars{"a/b"});
  EXPECT_EQ(MatchPattern("/g/**/io.max/*/rbps", "/g/a/io.max/vda/rbps"), (Stars{"a", "vda"}));
  EXPECT_FALSE(MatchPattern("/g/**/io.max/*/rbps", "/g/a/io.max/b/c/rbps"));
  EXPECT_FALSE(MatchPattern("/a/*", "/b/x"));
}

TEST(PathPatternTest, ASiblingIsOnTheSameDevice) {
  EXPECT_EQ(FillPattern("/sys/block/*/queue/nr_requests", {"vda"}),
            "/sys/block/vda/queue/nr_requests");
  EXPECT_EQ(FillPattern("/a/*/*", {"x"}), "/a/x/*");
  EXPECT_EQ(FillPattern("/a", {"x"}), "/a");
  EXPECT_EQ(FillPattern("/g/**/b/*", {"x/y", "z"}), "/g/x/y/b/z");
}

}  // namespace
}  // namespace hone::sysctl
