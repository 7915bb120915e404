// SPDX-License-Identifier: Apache-2.0
#include "hone/base/owner_only.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST(OwnerOnlyTest, WhatOthersMayWriteIsNotOurs) {
  const TempDir folder = TempDir::Make("hone-owner-only").value();
  const auto file = folder.path() / "file";
  ASSERT_TRUE(WriteFileDurably(file, "x"));
  for (const mode_t mode : {0600U, 0644U, 0400U}) {
    ::chmod(file.c_str(), mode);
    EXPECT_TRUE(CheckOnlyWeWrite(file)) << std::oct << mode;
  }
  for (const mode_t mode : {0620U, 0602U, 0666U}) {
    ::chmod(file.c_str(), mode);
    EXPECT_EQ(CheckOnlyWeWrite(file).error().code, Errc::kCorrupt) << std::oct << mode;
  }
  EXPECT_TRUE(CheckOnlyWeWrite(folder.path()));
  EXPECT_EQ(CheckOnlyWeWrite(folder.path() / "none").error().code, Errc::kNotFound);
}

TEST(OwnerOnlyTest, ALinkAndWhatBelongsToOthersAreNotOurs) {
  const TempDir folder = TempDir::Make("hone-owner-only").value();
  const auto file = folder.path() / "file";
  ASSERT_TRUE(WriteFileDurably(file, "x"));
  std::filesystem::create_symlink(file, folder.path() / "link");
  EXPECT_EQ(CheckOnlyWeWrite(folder.path() / "link").error().code, Errc::kCorrupt);
  // Without root nothing can be given away; then /etc/passwd is somebody else's.
  const bool is_given = ::chown(file.c_str(), 65534, 65534) == 0;
  EXPECT_EQ(CheckOnlyWeWrite(is_given ? file : "/etc/passwd").error().code, Errc::kCorrupt);
}

}  // namespace
}  // namespace hone
