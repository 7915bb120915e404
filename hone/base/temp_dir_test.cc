// SPDX-License-Identifier: Apache-2.0
#include "hone/base/temp_dir.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "hone/testing/test_machine.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

TEST(TempDirTest, IsPrivateAndGoesWithItsContents) {
  fs::path path;
  {
    const auto folder = TempDir::Make("hone-test");
    ASSERT_TRUE(folder.has_value()) << folder.error().message;
    path = folder->path();
    EXPECT_TRUE(path.filename().native().starts_with("hone-test-"));
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    fs::create_directories(path / "a" / "b");
    std::ofstream(path / "a" / "b" / "c") << "x";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TempDirTest, LinksAreRemovedAndNotFollowed) {
  const auto kept = TempDir::Make();
  ASSERT_TRUE(kept.has_value());
  std::ofstream(kept->path() / "file") << "x";
  {
    const auto folder = TempDir::Make();
    ASSERT_TRUE(folder.has_value());
    fs::create_directory_symlink(kept->path(), folder->path() / "link");
  }
  EXPECT_TRUE(fs::exists(kept->path() / "file"));
}

TEST(TempDirTest, MovingPassesTheFolderOn) {
  std::optional<TempDir> kept;
  fs::path path;
  {
    auto folder = TempDir::Make();
    ASSERT_TRUE(folder.has_value());
    path = folder->path();
    kept.emplace(*std::move(folder));
  }
  EXPECT_TRUE(fs::exists(path));
  kept.reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST(TempDirTest, AFolderThatWasMadeUnwritableIsRemovedToo) {
  const AsNobody nobody;
  fs::path path;
  {
    const auto folder = TempDir::Make();
    ASSERT_TRUE(folder.has_value()) << folder.error().message;
    path = folder->path();
    fs::create_directories(path / "a" / "b");
    fs::permissions(path / "a", fs::perms::none);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TempDirTest, APlaceThatIsNotThereIsNamed) {
  ::setenv("TMPDIR", "/nowhere/at/all", 1);
  const auto folder = TempDir::Make();
  ::unsetenv("TMPDIR");
  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(folder.error().code, Errc::kNotFound);
  EXPECT_EQ(folder.error().message, "/nowhere/at/all: no such file or folder");
}

// Makes it look as old as one that was left an hour ago.
void Age(const std::filesystem::path& folder) {
  std::filesystem::last_write_time(
      folder, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
}

TEST(TempDirTest, WhatAKilledProcessLeftIsRemovedAndWhatIsInUseIsNot) {
  const std::string prefix = "hone-temp-dir-test-" + std::to_string(::getpid());
  const auto in_use = TempDir::Make(prefix);
  ASSERT_TRUE(in_use) << in_use.error().message;
  std::filesystem::path left;
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(new Result<TempDir>(TempDir::Make(prefix)));  // As if killed: no destructor.
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  for (const auto& entry : std::filesystem::directory_iterator(in_use->path().parent_path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && entry.path() != in_use->path()) left = entry.path();
  }
  ASSERT_FALSE(left.empty());
  TempDir::RemoveAbandoned(prefix);
  EXPECT_TRUE(std::filesystem::exists(left)) << "it is too young to be told";
  Age(left);
  Age(in_use->path());
  TempDir::RemoveAbandoned(prefix);
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(in_use->path()));
}

}  // namespace
}  // namespace hone
