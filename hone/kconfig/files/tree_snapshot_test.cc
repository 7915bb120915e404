// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/tree_snapshot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/files/load.h"
#include "hone/kconfig/files/tree_image.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kRoot =
    "mainmenu \"Tree of $(NAME)\"\n"
    "$(info,read by $(NAME))\n"
    "config A\n\tbool \"a\"\n\tdefault y\n\thelp\n\t  Some help.\n\n"
    "config BLANK\n\tbool \"blank\"\n\thelp\n\n"
    "choice\n\tprompt \"one of\"\nconfig ONE\n\tbool \"one\"\nconfig TWO\n\tbool \"two\"\n"
    "endchoice\n"
    "config TEXT\n\tstring \"text\" if A\n\tdefault \"$(NAME)-$(NOT_THERE)\"\n"
    "config ASKED\n\tstring\n\tdefault \"$(shell,cat $(ANSWER))\"\n"
    "config NUMBER\n\tint \" number\"\n\trange 1 9\n\tdefault 12\n\tselect A\n"
    "source \"sub/Kconfig\"\n"
    "osource \"absent/Kconfig\"\n"
    "osource \"parts/*.part\"\n";

class TreeSnapshotTest : public testing::Test {
 protected:
  TreeSnapshotTest() {
    Write("tree/Kconfig", kRoot);
    Write("tree/sub/Kconfig", "config SUB\n\tbool\n\tdefault y\n");
    Write("tree/parts/a.part", "config PART_A\n\tbool\n\tdefault y\n");
    Write("answer", "forty-two\n");
    options_.folders = {root_ / "tree"};
    options_.dialect = *DialectNamed("kconfiglib");
    const char* path = ::getenv("PATH");
    options_.environment = {{"NAME", "oak"},
                            {"PATH", path == nullptr ? "/bin" : path},
                            {"ANSWER", (root_ / "answer").string()}};
    options_.shell = ShellPolicy::kRun;
    options_.memo = root_ / "memo";
    options_.snapshots = root_ / "cache/trees";
  }

  void Write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(MakeFolder((root_ / name).parent_path()));
    ASSERT_TRUE(WriteFileAtomically(root_ / name, text));
  }

  // What the .config says; an empty text if there is no tree.
  std::string Config() {
    loaded_ = LoadTree(options_);
    if (loaded_.tree == nullptr) return {};
    return WriteConfig(Configuration(loaded_.tree));
  }

  fs::path File() const {
    fs::path file;
    for (const auto& entry : fs::directory_iterator(options_.snapshots)) file = entry.path();
    return file;
  }

  // The snapshot cannot be used, the tree is as it was, and the next load has a snapshot again.
  void ExpectReplaced(const std::string& config) {
    EXPECT_EQ(Config(), config);
    EXPECT_FALSE(loaded_.is_from_snapshot);
    EXPECT_EQ(Config(), config);
    EXPECT_TRUE(loaded_.is_from_snapshot);
  }

  TempDir folder_ = *TempDir::Make("snapshot");
  fs::path root_ = folder_.path();
  LoadOptions options_;
  Loaded loaded_;
};

TEST_F(TreeSnapshotTest, WhatComesBackIsWhatWasParsed) {
  std::vector<std::string> told;
  options_.info = [&](const std::string& text) { told.push_back(text); };
  const Loaded first = LoadTree(options_);
  ASSERT_NE(first.tree, nullptr);
  EXPECT_FALSE(first.is_from_snapshot);
  const Loaded second = LoadTree(options_);
  ASSERT_TRUE(second.is_from_snapshot);
  EXPECT_EQ(second.commands_run, 0U);
  EXPECT_TRUE(ImageOf(*second.tree) == ImageOf(*first.tree));
  EXPECT_EQ(second.files.size(), first.files.size());
  ASSERT_EQ(second.diagnostics.size(), first.diagnostics.size());
  ASSERT_FALSE(first.diagnostics.empty());
  EXPECT_EQ(second.tree->Show(second.diagnostics[0]), first.tree->Show(first.diagnostics[0]));
  EXPECT_THAT(told, ElementsAre("read by oak", "read by oak"));
  EXPECT_EQ(second.tree->Help(second.tree->symbol(second.tree->Find("A")).first_menu),
            "Some help.");
  EXPECT_EQ(WriteConfig(Configuration(second.tree)), WriteConfig(Configuration(first.tree)));
}

TEST_F(TreeSnapshotTest, ABlankHelpTextIsNotTheSameAsNone) {
  const auto has_help = [&](const char* name) {
    const Tree& tree = *loaded_.tree;
    return tree.menu(tree.symbol(tree.Find(name)).first_menu).raw_help.data() != nullptr;
  };
  for (int i = 0; i < 2; ++i) {
    Config();
    EXPECT_EQ(loaded_.is_from_snapshot, i == 1);
    EXPECT_TRUE(has_help("BLANK"));
    EXPECT_FALSE(has_help("ONE"));
  }
}

TEST_F(TreeSnapshotTest, ChangesOfAConfigurationAreAsWithoutIt) {
  Config();
  Configuration parsed(loaded_.tree);
  Config();
  ASSERT_TRUE(loaded_.is_from_snapshot);
  Configuration restored(loaded_.tree);
  const SymbolId two = restored.tree().Find("TWO");
  EXPECT_EQ(restored.Set(two, Tristate::kYes), parsed.Set(two, Tristate::kYes));
  EXPECT_EQ(WriteConfig(restored), WriteConfig(parsed));
  EXPECT_THAT(WriteConfig(restored), HasSubstr("CONFIG_TWO=y"));
}

TEST_F(TreeSnapshotTest, AnEditWithinTheSameSecondAndOfTheSameSizeIsSeen) {
  Config();
  const fs::path file = root_ / "tree/sub/Kconfig";
  struct stat before {};
  ASSERT_EQ(stat(file.c_str(), &before), 0);
  const int opened = open(file.c_str(), O_WRONLY);  // In place: the same inode.
  ASSERT_EQ(pwrite(opened, "config SUX", 10, 0), 10);
  const timespec times[] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(futimens(opened, times), 0);
  close(opened);
  EXPECT_THAT(Config(), HasSubstr("CONFIG_SUX=y"));
  EXPECT_FALSE(loaded_.is_from_snapshot);
}

TEST_F(TreeSnapshotTest, AFileThatAPatternMatchesSinceIsSeenAndOneThatIsGoneToo) {
  Config();
  Write("tree/parts/b.part", "config PART_B\n\tbool\n\tdefault y\n");
  EXPECT_THAT(Config(), HasSubstr("CONFIG_PART_B=y"));
  fs::remove(root_ / "tree/parts/a.part");
  EXPECT_THAT(Config(), Not(HasSubstr("CONFIG_PART_A")));
}

TEST_F(TreeSnapshotTest, AnOptionalFileThatIsThereSinceIsSeen) {
  Config();
  Write("tree/absent/Kconfig", "config PRESENT\n\tbool\n\tdefault y\n");
  EXPECT_THAT(Config(), HasSubstr("CONFIG_PRESENT=y"));
  fs::remove(root_ / "tree/absent/Kconfig");
  EXPECT_THAT(Config(), Not(HasSubstr("CONFIG_PRESENT")));
}

TEST_F(TreeSnapshotTest, AFileInAnEarlierFolderIsSeen) {
  options_.folders = {root_ / "over", root_ / "tree"};
  ASSERT_TRUE(MakeFolder(root_ / "over"));
  Config();
  Config();
  ASSERT_TRUE(loaded_.is_from_snapshot);
  Write("over/sub/Kconfig", "config OVER\n\tbool\n\tdefault y\n");
  EXPECT_THAT(Config(), HasSubstr("CONFIG_OVER=y"));
}

TEST_F(TreeSnapshotTest, VariablesThatWereReadCountAndOthersDoNot) {
  EXPECT_THAT(Config(), HasSubstr("\"oak-\""));
  options_.environment["UNREAD"] = "1";
  Config();
  EXPECT_TRUE(loaded_.is_from_snapshot);
  options_.environment["NAME"] = "elm";
  EXPECT_THAT(Config(), HasSubstr("\"elm-\""));
  options_.environment["NOT_THERE"] = "now";
  EXPECT_THAT(Config(), HasSubstr("\"elm-now\""));
  options_.environment.erase("NAME");
  EXPECT_THAT(Config(), HasSubstr("\"-now\""));
}

TEST_F(TreeSnapshotTest, WhatACommandGaveCountsOnlyWhileTheMemoHasIt) {
  EXPECT_THAT(Config(), HasSubstr("CONFIG_ASKED=\"forty-two\""));
  Write("answer", "forty-three\n");
  EXPECT_THAT(Config(), HasSubstr("CONFIG_ASKED=\"forty-three\""));
  Config();
  EXPECT_TRUE(loaded_.is_from_snapshot);
  fs::remove_all(options_.memo);
  Config();
  EXPECT_FALSE(loaded_.is_from_snapshot);
  EXPECT_EQ(loaded_.commands_run, 1U);
}

TEST_F(TreeSnapshotTest, APolicyThatRefusesCommandsGetsNoResultsFromIt) {
  Config();
  options_.shell = ShellPolicy::kRefuse;
  EXPECT_EQ(Config(), "");
  options_.shell = ShellPolicy::kRecorded;
  EXPECT_EQ(Config(), "");
}

TEST_F(TreeSnapshotTest, AnotherDialectHasAnotherOne) {
  Config();
  options_.dialect.prefix = "";
  EXPECT_THAT(Config(), HasSubstr("\nSUB=y"));
  EXPECT_FALSE(loaded_.is_from_snapshot);
}

TEST_F(TreeSnapshotTest, OneThatEndsTooEarlyIsReplaced) {
  const std::string config = Config();
  const std::string whole = *hone::ReadFile(File());
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
    SCOPED_TRACE(size);
    fs::resize_file(File(), size);
    ExpectReplaced(config);
  }
  ASSERT_TRUE(WriteFileAtomically(File(), whole + "more"));
  ExpectReplaced(config);
}

TEST_F(TreeSnapshotTest, OneWithAByteFlippedAnywhereIsReplaced) {
  const std::string config = Config();
  const std::string whole = *hone::ReadFile(File());
  for (std::size_t at = 0; at < whole.size(); at += at < 400 ? 1 : 4999) {
    SCOPED_TRACE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    ASSERT_TRUE(WriteFileAtomically(File(), damaged));
    EXPECT_EQ(Config(), config);
    EXPECT_FALSE(loaded_.is_from_snapshot);
  }
  Config();
  EXPECT_TRUE(loaded_.is_from_snapshot);
}

// The format number lies behind the eight bytes of the magic, the build behind it.
TEST_F(TreeSnapshotTest, OneOfAnotherVersionOrBuildIsReplaced) {
  const std::string config = Config();
  for (const std::size_t at : {std::size_t{8}, std::size_t{16}}) {
    SCOPED_TRACE(at);
    std::string other = *hone::ReadFile(File());
    ++other[at];
    ASSERT_TRUE(WriteFileAtomically(File(), other));
    ExpectReplaced(config);
  }
}

TEST_F(TreeSnapshotTest, OneInAFolderThatOthersCanReachIsNotTrusted) {
  const std::string config = Config();
  fs::permissions(options_.snapshots, fs::perms::all);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Config(), config);
    EXPECT_FALSE(loaded_.is_from_snapshot);
  }
  fs::permissions(options_.snapshots, fs::perms::owner_all);
  Config();
  EXPECT_TRUE(loaded_.is_from_snapshot);
  if (geteuid() != 0) return;
  ASSERT_EQ(chown(File().c_str(), 65534, 65534), 0);  // As another user could by a hard link.
  Config();
  EXPECT_FALSE(loaded_.is_from_snapshot);
}

TEST_F(TreeSnapshotTest, ALinkInItsPlaceIsNotFollowed) {
  Config();
  const fs::path file = File();
  fs::rename(file, root_ / "elsewhere");
  fs::create_symlink(root_ / "elsewhere", file);
  Config();
  EXPECT_FALSE(loaded_.is_from_snapshot);
}

TEST_F(TreeSnapshotTest, ItsFolderIsForItsOwnerAlone) {
  Config();
  struct stat facts {};
  ASSERT_EQ(stat(options_.snapshots.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700U);
}

TEST_F(TreeSnapshotTest, WhereNoneCanBeWrittenTheTreeIsParsed) {
  Write("cache", "a file where the folder should be");
  const std::string config = Config();
  EXPECT_THAT(config, HasSubstr("CONFIG_SUB=y"));
  EXPECT_EQ(Config(), config);
  EXPECT_FALSE(loaded_.is_from_snapshot);
}

TEST_F(TreeSnapshotTest, TheSixteenYoungestAreKept) {
  for (int i = 0; i < 20; ++i) {
    options_.environment["ARCH"] = fmt::format("arch{}", i);
    Config();
  }
  const auto files = fs::directory_iterator(options_.snapshots);
  EXPECT_EQ(std::distance(begin(files), end(files)), 16);
  Config();
  EXPECT_TRUE(loaded_.is_from_snapshot);
}

// Each replaces what the others left, and nobody sees another's tree.
TEST_F(TreeSnapshotTest, ProcessesThatReplaceEachOthersEachHaveTheirOwnTree) {
  Config();
  loaded_ = {};  // Its reader has a thread, which no child has.
  std::vector<pid_t> children;
  for (const char* name : {"ash", "birch", "cedar", "ash"}) {
    const pid_t child = fork();
    if (child == 0) {
      options_.environment["NAME"] = name;
      const std::string expected = fmt::format("CONFIG_TEXT=\"{}-\"", name);
      int failed = 0;
      for (int i = 0; i < 40; ++i) failed |= Config().find(expected) == std::string::npos ? 1 : 0;
      loaded_ = {};  // Joins its own.
      _exit(failed);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

class SnapshotKeyTest : public testing::Test {
 protected:
  SnapshotKeyTest() {
    EXPECT_TRUE(WriteFileAtomically(folder_.path() / "Kconfig", "config A\n"));
    inputs_.files.files = {{"Kconfig", *SourceFolders({folder_.path()}).Find("Kconfig"), text_}};
  }

  bool Holds(const std::string& key) const {
    return SnapshotKey(key).HoldsFiles(SourceFolders({folder_.path()}));
  }

  TempDir folder_ = *TempDir::Make("snapshot-key");
  std::string text_ = "config A\n";
  TreeInputs inputs_;
  std::int64_t now_ = std::time(nullptr);
};

TEST_F(SnapshotKeyTest, AYoungFileCountsByItsContents) {
  EXPECT_TRUE(Holds(SnapshotKeyOf(inputs_, now_)));
  inputs_.files.files[0].text = "config B\n";  // It changed since, and its stamps did not.
  EXPECT_FALSE(Holds(SnapshotKeyOf(inputs_, now_)));
  EXPECT_TRUE(Holds(SnapshotKeyOf(inputs_, now_ + 1000)));
}

TEST_F(SnapshotKeyTest, AStampFromTheFutureIsYoung) {
  inputs_.files.files[0].text = "config B\n";
  EXPECT_FALSE(Holds(SnapshotKeyOf(inputs_, now_ - 1000)));
}

TEST_F(SnapshotKeyTest, OnceAFileIsOldItsStampSuffices) {
  const std::string young = SnapshotKeyOf(inputs_, now_);
  EXPECT_FALSE(SnapshotKey(young).Renewed(now_));
  const auto renewed = SnapshotKey(young).Renewed(now_ + 1000);
  ASSERT_TRUE(renewed);
  EXPECT_TRUE(Holds(*renewed));
  EXPECT_FALSE(SnapshotKey(*renewed).Renewed(now_ + 2000));
}

TEST_F(SnapshotKeyTest, AnotherStampNeverHolds) {
  const std::string old = SnapshotKeyOf(inputs_, now_ + 1000);
  ASSERT_TRUE(Holds(old));
  ASSERT_EQ(chmod((folder_.path() / "Kconfig").c_str(), 0400), 0);  // Moves ctime alone.
  EXPECT_FALSE(Holds(old));
}

}  // namespace
}  // namespace hone::kconfig
