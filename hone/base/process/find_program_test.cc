// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/find_program.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

TEST(FindProgramTest, TheFirstPlaceWithSuchAProgramWins) {
  const auto first = TempDir::Make();
  const auto second = TempDir::Make();
  ASSERT_TRUE(first && second);
  for (const fs::path& folder : {first->path(), second->path()}) {
    ASSERT_TRUE(WriteFileDurably(folder / "tool", "#!/bin/sh\n"));
  }
  const std::string places = first->path().string() + ":" + second->path().string();
  EXPECT_EQ(FindProgram("tool", places), std::nullopt) << "it may not be executed";
  fs::permissions(second->path() / "tool", fs::perms::owner_all);
  EXPECT_EQ(FindProgram("tool", places), (second->path() / "tool").string());
  fs::permissions(first->path() / "tool", fs::perms::owner_all);
  EXPECT_EQ(FindProgram("tool", places), (first->path() / "tool").string());
}

TEST(FindProgramTest, AFolderIsNoProgram) {
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder);
  fs::create_directory(folder->path() / "tool");
  EXPECT_EQ(FindProgram("tool", folder->path().string()), std::nullopt);
}

TEST(FindProgramTest, TheShellIsInTheSearchPath) {
  const auto shell = FindProgram("sh", SearchPath());
  ASSERT_TRUE(shell);
  EXPECT_TRUE(shell->starts_with('/'));
}

}  // namespace
}  // namespace hone
