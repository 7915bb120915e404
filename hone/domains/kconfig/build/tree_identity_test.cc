// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/tree_identity.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/build/file_digests.h"
#include "hone/testing/fake_clock.h"
#include "hone/testing/wait_until.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct stat FactsOf(const fs::path& path) {
  struct stat facts {};
  EXPECT_EQ(::lstat(path.c_str(), &facts), 0) << path;
  return facts;
}

class TreeIdentityTest : public ::testing::Test {
 protected:
  TreeIdentityTest() {
    Write("Makefile", "all:\n");
    Write("init/main.c", "int value = 1;\n");
    fs::create_symlink("main.c", tree_ / "init/link.c");
  }

  void Write(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(MakeFolder((tree_ / name).parent_path()));
    EXPECT_TRUE(WriteFileAtomically(tree_ / name, text));
  }

  // In the same file, with the time of modification that it had; until the time of change is
  // another one, which the kernel counts in ticks.
  void Forge(const std::string& name, const std::string& text) const {
    const fs::path path = tree_ / name;
    const struct stat before = FactsOf(path);
    WaitUntil(
        [&] {
          const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
          EXPECT_EQ(::pwrite(file, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
          const timespec times[] = {before.st_atim, before.st_mtim};
          EXPECT_EQ(::futimens(file, times), 0);
          ::close(file);
          const FileStamp now = StampOf(FactsOf(path));
          EXPECT_EQ(now.size, StampOf(before).size);
          EXPECT_EQ(now.modified_ns, StampOf(before).modified_ns);
          return now != StampOf(before);
        },
        "the file has another time of change");
  }

  TreeIdentity Identity(Clock& clock = SystemClock()) const {
    const auto identity = IdentifyTree(tree_, digests_, clock);
    EXPECT_TRUE(identity) << identity.error().message;
    return identity ? *identity : TreeIdentity{};
  }

  std::string Contents() const { return Identity().contents; }

  // By which everything that is there now is old.
  std::unique_ptr<FakeClock> LaterClock() const {
    return std::make_unique<FakeClock>(SystemClock().Wall() + std::chrono::hours{1});
  }

  fs::path KnownFile() const {
    fs::path file;
    for (const auto& entry : fs::directory_iterator(digests_)) file = entry.path();
    return file;
  }

  // What is kept says of init/main.c that it has other contents.
  void PlantDigest() const {
    const fs::path file = KnownFile();
    WriteFileDigests(file, {{StampOf(FactsOf(tree_ / "init/main.c")), Sha256Digest{1, 2, 3}}});
  }

  TempDir folder_ = TempDir::Make("hone-tree-identity-test").value();
  fs::path tree_ = folder_.path() / "tree";
  fs::path digests_ = folder_.path() / "digests";
};

TEST_F(TreeIdentityTest, ItIsTheSameWhereverTheTreeLies) {
  const TreeIdentity here = Identity();
  EXPECT_EQ(here.contents.size(), std::size_t{64});
  EXPECT_EQ(Identity(), here);
  fs::copy(tree_, folder_.path() / "copy",
           fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  const auto there = IdentifyTree(folder_.path() / "copy", digests_);
  ASSERT_TRUE(there);
  EXPECT_EQ(there->contents, here.contents);
  EXPECT_NE(there->stamps, here.stamps);
}

TEST_F(TreeIdentityTest, OtherContentsOfTheSameSizeAndTimeAreAnotherTree) {
  const std::string before = Contents();
  Forge("init/main.c", "int value = 2;\n");
  EXPECT_NE(Contents(), before);
}

TEST_F(TreeIdentityTest, WhatWasReadBeforeHidesNoForgery) {
  const auto later = LaterClock();
  const std::string before = Identity(*later).contents;
  EXPECT_EQ(Identity(*later).contents, before);
  Forge("init/main.c", "int value = 2;\n");
  EXPECT_NE(Identity(*later).contents, before);
}

TEST_F(TreeIdentityTest, ModesNamesLinksAndEmptyFoldersCount) {
  std::vector<std::string> all = {Contents()};
  fs::permissions(tree_ / "Makefile", fs::perms(0755));
  all.push_back(Contents());
  fs::rename(tree_ / "Makefile", tree_ / "makefile");
  all.push_back(Contents());
  fs::remove(tree_ / "init/link.c");
  fs::create_symlink("/etc/passwd", tree_ / "init/link.c");
  all.push_back(Contents());
  fs::create_directory(tree_ / "empty");
  all.push_back(Contents());
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < all.size(); ++b) EXPECT_NE(all[a], all[b]) << a << " " << b;
  }
}

TEST_F(TreeIdentityTest, ALinkCountsByItsTextAndIsNotFollowed) {
  const fs::path outside = folder_.path() / "outside";
  ASSERT_TRUE(WriteFileAtomically(outside, "one"));
  fs::create_symlink(outside, tree_ / "out");
  fs::create_symlink("/dev/zero", tree_ / "endless");
  fs::create_symlink("/", tree_ / "root");
  const std::string before = Contents();
  ASSERT_TRUE(WriteFileAtomically(outside, "two"));
  EXPECT_EQ(Contents(), before);
}

TEST_F(TreeIdentityTest, APipeIsRefusedAndNotReadFrom) {
  ASSERT_EQ(::mkfifo((tree_ / "init/pipe.c").c_str(), 0644), 0);
  const auto identity = IdentifyTree(tree_, digests_);
  ASSERT_FALSE(identity);
  EXPECT_THAT(identity.error().message, HasSubstr("init/pipe.c: a pipe"));
}

TEST_F(TreeIdentityTest, TheFolderOfGitIsNoPartOfATreeButOnlyAtItsRoot) {
  const std::string before = Contents();
  Write(".git/HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(Contents(), before);
  Write("init/.git/HEAD", "ref: refs/heads/main\n");
  EXPECT_NE(Contents(), before);
}

TEST_F(TreeIdentityTest, WhatWasChangedAndChangedBackHasOtherStamps) {
  const TreeIdentity before = Identity();
  Forge("init/main.c", "int value = 2;\n");
  Forge("init/main.c", "int value = 1;\n");
  const TreeIdentity after = Identity();
  EXPECT_EQ(after.contents, before.contents);
  EXPECT_NE(after.stamps, before.stamps);
}

TEST_F(TreeIdentityTest, AFileThatWasJustChangedIsNotKnownByItsState) {
  Identity();
  const fs::path file = KnownFile();
  if (!file.empty()) {
    const FileDigests known = ReadFileDigests(file);
    EXPECT_EQ(known.Find(StampOf(FactsOf(tree_ / "init/main.c"))), nullptr);
  }
}

class KnownStatesTest : public TreeIdentityTest {
 protected:
  void SetUp() override {
    if (!CanKnowByState(folder_.path())) {
      GTEST_SKIP() << folder_.path() << " is on a file system whose times are not believed";
    }
    later_ = LaterClock();
    before_ = Identity(*later_).contents;
  }

  std::unique_ptr<FakeClock> later_;
  std::string before_;
};

TEST_F(KnownStatesTest, WhatIsKnownIsNotReadAgain) {
  PlantDigest();
  EXPECT_NE(Identity(*later_).contents, before_);
}

TEST_F(KnownStatesTest, WhatIsKeptIsForItsOwnerAlone) {
  EXPECT_EQ(FactsOf(digests_).st_mode & 0777U, 0700U);
  EXPECT_EQ(FactsOf(KnownFile()).st_mode & 0777U, 0600U);
}

TEST_F(KnownStatesTest, AFileOrFolderThatOthersMayReachIsNotBelieved) {
  for (const unsigned mode : {0640U, 0604U, 0620U, 0602U}) {
    PlantDigest();
    fs::permissions(KnownFile(), fs::perms(mode));
    EXPECT_EQ(Identity(*later_).contents, before_) << std::oct << mode;
    EXPECT_EQ(FactsOf(KnownFile()).st_mode & 0777U, 0600U);
  }
  PlantDigest();
  fs::permissions(digests_, fs::perms(0770));
  EXPECT_EQ(Identity(*later_).contents, before_);
}

TEST_F(KnownStatesTest, ADamagedFileOrALinkIsNotBelieved) {
  PlantDigest();
  const fs::path file = KnownFile();
  const std::string whole = ReadFile(file).value();
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    ASSERT_TRUE(WriteFileAtomically(file, damaged));
    EXPECT_EQ(Identity(*later_).contents, before_) << at;
  }
  ASSERT_TRUE(WriteFileAtomically(file, whole.substr(0, whole.size() - 1)));
  EXPECT_EQ(Identity(*later_).contents, before_);
  PlantDigest();
  fs::rename(file, folder_.path() / "elsewhere");
  fs::create_symlink(folder_.path() / "elsewhere", file);
  EXPECT_EQ(Identity(*later_).contents, before_);
}

}  // namespace
}  // namespace hone::kernels
