// SPDX-License-Identifier: Apache-2.0
#include "hone/base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <optional>

#include "hone/base/temp_dir.h"
#include "hone/testing/test_machine.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDir::Make("hone-file-test");
    ASSERT_TRUE(folder.has_value()) << folder.error().message;
    folder_.emplace(*std::move(folder));
  }

  fs::path At(const char* name) const { return folder_->path() / name; }

  static std::ptrdiff_t CountIn(const fs::path& folder) {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  }

  std::optional<TempDir> folder_;
};

TEST_F(FileTest, AFileIsReplacedInOneStepWithoutTheDiskToo) {
  ASSERT_TRUE(WriteFileAtomically(At("a"), "old"));
  std::ifstream open(At("a"));
  ASSERT_TRUE(WriteFileAtomically(At("a"), "new and longer"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(open), {}), "old");
  EXPECT_EQ(ReadFile(At("a")).value(), "new and longer");
  EXPECT_EQ(CountIn(folder_->path()), 1);
  EXPECT_EQ(WriteFileAtomically(At("none") / "a", "x").error().code, Errc::kNotFound);
}

TEST_F(FileTest, WhatWasWrittenIsRead) {
  const std::string text = std::string(300'000, 'x') + '\0' + "end";
  ASSERT_TRUE(WriteFileDurably(At("a"), text).has_value());
  EXPECT_EQ(ReadFile(At("a")).value(), text);
  ASSERT_TRUE(WriteFileDurably(At("a"), "").has_value());
  EXPECT_EQ(ReadFile(At("a")).value(), "");
  EXPECT_EQ(CountIn(folder_->path()), 1);
}

TEST_F(FileTest, FilesWhoseSizeLiesAreReadInFull) {
  const auto status = ReadFile("/proc/self/status");
  ASSERT_TRUE(status.has_value()) << status.error().message;
  EXPECT_THAT(*status, HasSubstr("Pid:"));
}

TEST_F(FileTest, AFileOverTheLimitIsAnError) {
  ASSERT_TRUE(WriteFileDurably(At("a"), "12345").has_value());
  EXPECT_EQ(ReadFile(At("a"), 5).value(), "12345");
  const auto text = ReadFile(At("a"), 4);
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().message, At("a").native() + ": larger than the 4 bytes allowed");
}

TEST_F(FileTest, AHugeFileIsRefusedBeforeItIsRead) {
  std::ofstream(At("sparse")) << "";
  fs::resize_file(At("sparse"), std::uintmax_t{100} << 30);
  const auto text = ReadFile(At("sparse"));
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("sparse: larger than the 67108864 bytes allowed"));
}

// Each would be waited for, or never end.
TEST_F(FileTest, WhatIsNoRegularFileIsRefusedAtOnceAndNamed) {
  ASSERT_EQ(::mkfifo(At("pipe").c_str(), 0600), 0);
  fs::create_symlink(At("pipe"), At("link"));
  fs::create_symlink("/dev/zero", At("endless"));
  fs::create_directory(At("folder"));
  const std::pair<const char*, const char*> cases[] = {
      {"pipe", "not a regular file but a pipe"},
      {"link", "not a regular file but a pipe"},
      {"endless", "not a regular file but a device"},
      {"folder", "Is a directory"}};
  for (const auto& [name, why] : cases) {
    const auto text = ReadFile(At(name));
    ASSERT_FALSE(text) << name;
    EXPECT_EQ(text.error().code, Errc::kInvalidArgument);
    EXPECT_EQ(text.error().message, At(name).native() + ": " + why);
    EXPECT_FALSE(ReadRegularFile(At(name), 10)) << name;
  }
}

TEST_F(FileTest, ALinkIsFollowedUnlessOnlyTheFileItselfIsWanted) {
  ASSERT_TRUE(WriteFileDurably(At("a"), "text"));
  fs::create_symlink(At("a"), At("link"));
  EXPECT_EQ(ReadFile(At("link")).value(), "text");
  EXPECT_EQ(ReadRegularFile(At("a"), 10).value(), "text");
  EXPECT_THAT(ReadRegularFile(At("link"), 10).error().message, HasSubstr("links are not followed"));
}

TEST_F(FileTest, WhatTheShellHandsOverIsReadToItsEnd) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string text(30'000, 'x');
  ASSERT_EQ(::write(ends[1], text.data(), text.size()), 30'000);
  ::close(ends[1]);
  EXPECT_EQ(ReadFile("/dev/fd/" + std::to_string(ends[0])).value(), text);
  ::close(ends[0]);
  EXPECT_EQ(ReadFile("/dev/null").value(), "");
}

TEST_F(FileTest, AMissingFileAndAFolderAreErrors) {
  EXPECT_EQ(ReadFile(At("none")).error().code, Errc::kNotFound);
  EXPECT_FALSE(ReadFile(folder_->path()).has_value());
  EXPECT_EQ(WriteFileDurably(At("none") / "a", "x").error().code, Errc::kNotFound);
}

TEST_F(FileTest, TheModeOfTheReplacedFileIsKept) {
  ASSERT_TRUE(WriteFileDurably(At("a"), "1").has_value());
  ASSERT_EQ(::chmod(At("a").c_str(), 0640), 0);
  ASSERT_TRUE(WriteFileDurably(At("a"), "2").has_value());
  EXPECT_EQ(fs::status(At("a")).permissions(), fs::perms{0640});
}

TEST_F(FileTest, AnUnwritableFolderKeepsTheOldText) {
  ASSERT_TRUE(WriteFileDurably(At("a"), "old").has_value());
  fs::permissions(folder_->path(), fs::perms{0555});
  {
    const AsNobody nobody;
    const auto written = WriteFileDurably(At("a"), "new");
    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, Errc::kUnsupported);
    EXPECT_THAT(written.error().message, HasSubstr(At("a").native() + ": permission denied"));
    EXPECT_EQ(FileLock::Take(At("lock")).error().code, Errc::kUnsupported);
    EXPECT_EQ(MakeFolder(At("b")).error().code, Errc::kUnsupported);
  }
  EXPECT_EQ(ReadFile(At("a")).value(), "old");
}

TEST_F(FileTest, AFullDiskKeepsTheOldTextAndNothingHalfWritten) {
  const auto disk = TinyDisk::Mount(folder_->path(), 64 << 10);
  if (!disk) GTEST_SKIP() << disk.error().message;
  ASSERT_TRUE(WriteFileDurably(At("a"), "old").has_value());
  const auto written = WriteFileDurably(At("a"), std::string(1 << 20, 'x'));
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, Errc::kUnavailable);
  EXPECT_EQ(
      written.error().message,
      At("a").native() + ": the disk is full: free some space, then run the same command again");
  EXPECT_EQ(ReadFile(At("a")).value(), "old");
  EXPECT_EQ(CountIn(folder_->path()), 1);
}

TEST_F(FileTest, AReadOnlyDiskIsNamed) {
  auto disk = TinyDisk::Mount(folder_->path(), 64 << 10);
  if (!disk) GTEST_SKIP() << disk.error().message;
  ASSERT_TRUE(disk->MakeReadOnly().has_value());
  const auto written = WriteFileDurably(At("a"), "x");
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, Errc::kUnsupported);
  EXPECT_THAT(written.error().message, HasSubstr("read-only"));
}

TEST_F(FileTest, FoldersAreMadeWithTheirParents) {
  EXPECT_TRUE(MakeFolder(At("a") / "b" / "c").has_value());
  EXPECT_TRUE(MakeFolder(At("a") / "b" / "c").has_value());
  EXPECT_TRUE(fs::is_directory(At("a") / "b" / "c"));
  ASSERT_TRUE(WriteFileDurably(At("file"), "x").has_value());
  EXPECT_FALSE(MakeFolder(At("file")).has_value());
}

TEST_F(FileTest, ALockIsHeldOnceAndNamesItsHolder) {
  {
    const auto first = FileLock::Take(At("lock"));
    ASSERT_TRUE(first.has_value()) << first.error().message;
    const auto second = FileLock::Take(At("lock"));
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, Errc::kStale);
    EXPECT_EQ(second.error().message,
              At("lock").native() + ": held by process " + std::to_string(::getpid()));
  }
  EXPECT_TRUE(FileLock::Take(At("lock")).has_value());
}

TEST_F(FileTest, ALockCanBeOpenedByItsOwnerOnly) {
  { EXPECT_TRUE(FileLock::Take(At("new"))); }
  EXPECT_EQ(fs::status(At("new")).permissions(), fs::perms{0600});
  std::ofstream(At("wide")) << "";
  ASSERT_EQ(::chmod(At("wide").c_str(), 0664), 0);
  EXPECT_TRUE(FileLock::Take(At("wide")));
  EXPECT_EQ(fs::status(At("wide")).permissions(), fs::perms{0600});
}

TEST_F(FileTest, ALockThatIsALinkOrNoFileIsRefused) {
  std::ofstream(At("other")) << "kept";
  fs::create_symlink(At("other"), At("link"));
  fs::create_hard_link(At("other"), At("second"));
  ASSERT_EQ(::mkfifo(At("pipe").c_str(), 0600), 0);
  for (const char* name : {"link", "second", "pipe"}) {
    const auto lock = FileLock::Take(At(name));
    ASSERT_FALSE(lock) << name;
    EXPECT_EQ(lock.error().code, Errc::kInvalidArgument) << lock.error().message;
    EXPECT_FALSE(FileLock::IsHeld(At(name))) << name;
  }
  EXPECT_EQ(ReadFile(At("other")).value(), "kept");
}

TEST_F(FileTest, ALockOfAnotherUserIsRefusedUnlessTheFolderIsTheirs) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  constexpr uid_t kOther = 65534;
  std::ofstream(At("lock")) << "";
  ASSERT_EQ(::chown(At("lock").c_str(), kOther, kOther), 0);
  const auto refused = FileLock::Take(At("lock"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("belongs to user 65534"));
  ASSERT_EQ(::chown(folder_->path().c_str(), kOther, kOther), 0);
  EXPECT_TRUE(FileLock::Take(At("lock")));
}

TEST_F(FileTest, SigkillReleasesALock) {
  bool was_held = false;
  KillWhenReady(
      [&](int ready) {
        const auto lock = FileLock::Take(At("lock"));
        if (lock) [[maybe_unused]]
          const auto told = ::write(ready, "x", 1);
        ::pause();
      },
      [&] { was_held = !FileLock::Take(At("lock")).has_value(); });
  EXPECT_TRUE(was_held);
  EXPECT_TRUE(FileLock::Take(At("lock")).has_value());
}

TEST_F(FileTest, MovingPassesTheLockOn) {
  std::optional<FileLock> kept;
  {
    auto lock = FileLock::Take(At("lock"));
    ASSERT_TRUE(lock.has_value());
    kept.emplace(*std::move(lock));
  }
  EXPECT_FALSE(FileLock::Take(At("lock")).has_value());
  kept.reset();
  EXPECT_TRUE(FileLock::Take(At("lock")).has_value());
}

}  // namespace
}  // namespace hone
