// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/file_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "hone/base/temp_dir.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr uid_t kSomebody = 65534;

class FilePlaceTest : public testing::Test {
 protected:
  FilePlaceTest() { fs::create_directories(At("real/conf.d")); }

  fs::path At(const std::string& name) const { return folder_.path() / name; }

  // Whether the file is reached through `name`, in the real folder.
  bool IsReached(const std::string& name) const {
    const auto place = FilePlace::Open(At(name));
    const auto real = FilePlace::Open(At("real/conf.d/x.conf"));
    return place && real && place->identity() == real->identity() && place->name() == "x.conf";
  }
  std::string Fault(const std::string& name) const {
    const auto place = FilePlace::Open(At(name));
    return place ? "" : place.error().message;
  }

  TempDir folder_ = *TempDir::Make("file_place");
};

TEST_F(FilePlaceTest, LinksOfThisUserAreFollowedAbsoluteAndRelative) {
  fs::create_symlink(At("real"), At("absolute"));
  fs::create_directory(At("below"));
  fs::create_symlink("../real/./conf.d", At("below/relative"));
  EXPECT_TRUE(IsReached("real/conf.d/x.conf"));
  EXPECT_TRUE(IsReached("absolute/conf.d/x.conf"));
  EXPECT_TRUE(IsReached("below/relative/x.conf"));
}

TEST_F(FilePlaceTest, WhatIsNoFolderIsSaid) {
  EXPECT_THAT(Fault("none/x.conf"), HasSubstr("there is no folder " + At("none").native()));
  fs::create_symlink("round", At("round"));
  EXPECT_THAT(Fault("round/x.conf"), HasSubstr("symbolic links"));
  EXPECT_FALSE(FilePlace::Open("x.conf"));
  EXPECT_FALSE(FilePlace::Open(At("real/..")));
}

TEST_F(FilePlaceTest, LinkThatOthersCanChangeIsNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  fs::create_symlink(At("real"), At("theirs"));
  ASSERT_EQ(::lchown(At("theirs").c_str(), kSomebody, kSomebody), 0);
  EXPECT_THAT(Fault("theirs/conf.d/x.conf"),
              HasSubstr("theirs is a link to " + At("real").native()));
  fs::create_directory(At("home"));
  fs::create_symlink(At("real"), At("home/by-root"));
  EXPECT_TRUE(IsReached("home/by-root/conf.d/x.conf"));
  ASSERT_EQ(::chmod(At("home").c_str(), 0777), 0);
  EXPECT_THAT(Fault("home/by-root/conf.d/x.conf"), HasSubstr("by-root is a link"));
  ASSERT_EQ(::chmod(At("home").c_str(), 01777), 0);
  EXPECT_TRUE(IsReached("home/by-root/conf.d/x.conf")) << "only its owner can change it there";
  ASSERT_EQ(::chmod(At("home").c_str(), 0755), 0);
  ASSERT_EQ(::chown(At("home").c_str(), kSomebody, kSomebody), 0);
  EXPECT_THAT(Fault("home/by-root/conf.d/x.conf"), HasSubstr("by-root is a link"));
}

// They can put another folder of root's in its place.
TEST_F(FilePlaceTest, LinkBelowAFolderOfOthersIsNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  fs::create_directories(At("home/roots"));
  fs::create_symlink(At("real"), At("home/roots/link"));
  EXPECT_TRUE(IsReached("home/roots/link/conf.d/x.conf"));
  ASSERT_EQ(::chown(At("home").c_str(), kSomebody, kSomebody), 0);
  EXPECT_THAT(Fault("home/roots/link/conf.d/x.conf"), HasSubstr("link is a link"));
}

TEST_F(FilePlaceTest, KnowsWhenThePathLeadsElsewhere) {
  const auto place = FilePlace::Open(At("real/conf.d/x.conf"));
  ASSERT_TRUE(place);
  EXPECT_TRUE(place->CheckInPlace());
  fs::rename(At("real/conf.d"), At("real/old"));
  EXPECT_EQ(place->CheckInPlace().error().code, Errc::kNotFound);
  fs::create_directory(At("real/conf.d"));
  const auto moved = place->CheckInPlace();
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().code, Errc::kStale);
  EXPECT_THAT(moved.error().message, HasSubstr("its folder is another one"));
  fs::remove(At("real/conf.d"));
  fs::rename(At("real/old"), At("real/conf.d"));
  EXPECT_TRUE(place->CheckInPlace());
}

}  // namespace
}  // namespace hone::sysctl
