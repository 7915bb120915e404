// SPDX-License-Identifier: Apache-2.0
#include "hone/app/store_path.h"

#include <gtest/gtest.h>

#include <map>

namespace hone::app {
namespace {

std::string PathWith(const std::string& asked, const std::map<std::string, std::string>& set) {
  return StorePath(asked, [&](const std::string& name) {
    const auto found = set.find(name);
    return found == set.end() ? std::string() : found->second;
  });
}

TEST(StorePathTest, TheFlagGoesBeforeTheEnvironment) {
  const std::map<std::string, std::string> set{
      {"HONE_STORE", "/b.db"}, {"XDG_STATE_HOME", "/state"}, {"HOME", "/home/u"}};
  EXPECT_EQ(PathWith("/a.db", set), "/a.db");
  EXPECT_EQ(PathWith("", set), "/b.db");
}

TEST(StorePathTest, TheStateFolderIsTheUsualPlace) {
  EXPECT_EQ(PathWith("", {{"XDG_STATE_HOME", "/state"}, {"HOME", "/home/u"}}),
            "/state/hone/hone.db");
  EXPECT_EQ(PathWith("", {{"HOME", "/home/u"}}), "/home/u/.local/state/hone/hone.db");
}

TEST(StorePathTest, ARelativeStateFolderIsIgnored) {
  EXPECT_EQ(PathWith("", {{"XDG_STATE_HOME", "state"}, {"HOME", "/home/u"}}),
            "/home/u/.local/state/hone/hone.db");
}

}  // namespace
}  // namespace hone::app
