// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::kernels {
namespace {

using ::testing::HasSubstr;

TEST(GuestFilesTest, AProgramComesWithItsLibrariesAndItsLoader) {
  const auto files = TakenAlong({.name = "x", .steps = {}, .programs = {"ls"}});
  ASSERT_TRUE(files) << files.error().message;
  const auto has = [&](const std::string& part) {
    return std::any_of(files->begin(), files->end(), [&](const InitramfsFile& file) {
      return file.path.find(part) != std::string::npos && file.is_program;
    });
  };
  EXPECT_TRUE(has("bin/ls"));
  EXPECT_TRUE(has("libc.so.6"));
  EXPECT_TRUE(has("ld-linux"));
}

TEST(GuestFilesTest, AFolderComesWithAllThatIsBelow) {
  const TempDir folder = TempDir::Make("hone-guest-files-test").value();
  ASSERT_TRUE(MakeFolder(folder.path() / "a/b"));
  ASSERT_TRUE(WriteFileAtomically(folder.path() / "a/b/text", "hello"));
  const auto files =
      TakenAlong({.name = "x", .steps = {}, .files = {(folder.path() / "a").string()}});
  ASSERT_TRUE(files) << files.error().message;
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ("/" + files->front().path, (folder.path() / "a/b/text").string());
  EXPECT_EQ(files->front().content, "hello");
}

TEST(GuestFilesTest, WhatIsNotHereIsNamed) {
  const auto no_program = TakenAlong({.name = "x", .steps = {}, .programs = {"no-such-program"}});
  EXPECT_THAT(no_program.error().message, HasSubstr("no-such-program"));
  EXPECT_FALSE(TakenAlong({.name = "x", .steps = {}, .files = {"/no/such/file"}}));
}

}  // namespace
}  // namespace hone::kernels
