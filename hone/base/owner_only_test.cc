// SPDX-License-Identifier: Apache-2.0
#include "hone/base/owner_only.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone {
namespace {

mode_t ModeOf(const std::filesystem::path& path) {
  struct stat facts {};
  EXPECT_EQ(::stat(path.c_str(), &facts), 0);
  return facts.st_mode & 07777U;
}

TEST(OwnerOnlyTest, APrivateFolderIsForItsOwnerAlsoIfItWasThere) {
  const TempDir folder = TempDir::Make("hone-owner-only").value();
  ASSERT_TRUE(MakePrivateFolder(folder.path() / "a" / "new"));
  EXPECT_EQ(ModeOf(folder.path() / "a" / "new"), 0700U);
  ASSERT_TRUE(MakeFolder(folder.path() / "old"));
  ::chmod((folder.path() / "old").c_str(), 0755);
  ASSERT_TRUE(MakePrivateFolder(folder.path() / "old"));
  EXPECT_EQ(ModeOf(folder.path() / "old"), 0700U);
}

TEST(OwnerOnlyTest, WhatIsKeptForItsOwnerLosesOnlyWhatOthersMay) {
  const TempDir folder = TempDir::Make("hone-owner-only").value();
  const auto file = folder.path() / "file";
  ASSERT_TRUE(WriteFileDurably(file, "x"));
  ::chmod(file.c_str(), 0664);
  KeepForOwner(file);
  EXPECT_EQ(ModeOf(file), 0600U);
  KeepForOwner(folder.path() / "none");
}

}  // namespace
}  // namespace hone
