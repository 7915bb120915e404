// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/visible.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::kconfig {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace fs = std::filesystem;

class VisibleTest : public testing::Test {
 protected:
  VisibleTest() {
    fs::create_directories(root_ / "tree");
    options_.folders = {root_ / "tree"};
  }

  void MakeTool(const fs::path& file) const {
    fs::create_directories(file.parent_path());
    ASSERT_TRUE(WriteFileDurably(file, "#!/bin/sh\n"));
    fs::permissions(file, fs::perms(0755));
  }

  const TempDir folder_ = *TempDir::Make("visible");
  const fs::path root_ = fs::canonical(folder_.path());
  LoadOptions options_;
};

TEST_F(VisibleTest, OfTheEnvironmentATreeSeesWhatTreesAskForAndWhatIsPassed) {
  options_.environment = {{"ARCH", "x86"},        {"CC", "gcc"},      {"KCONFIG_CONFIG", "c"},
                          {"CROSS_COMPILE", "a"}, {"HOME", "/root"},  {"AWS_SECRET_KEY", "s"},
                          {"LD_PRELOAD", "/x"},   {"MINE", "passed"}, {"PATH", "/usr/bin"}};
  options_.passed = {"MINE"};
  EXPECT_EQ(VisibleEnvironment(options_), (Environment{{"ARCH", "x86"},
                                                       {"CC", "gcc"},
                                                       {"KCONFIG_CONFIG", "c"},
                                                       {"CROSS_COMPILE", "a"},
                                                       {"MINE", "passed"},
                                                       {"PATH", "/usr/bin"}}));
}

TEST_F(VisibleTest, OfThePathTheFoldersThatAreSeenRemainInTheirOrder) {
  options_.granted = {root_ / "granted"};
  fs::create_directories(root_ / "granted/bin");
  options_.environment["PATH"] =
      ".:/root/bin:" + (root_ / "granted/bin").string() + "::/usr/lib/ccache:/usr/../root/x:/bin";
  EXPECT_EQ(VisibleEnvironment(options_).at("PATH"),
            (root_ / "granted/bin").string() + ":/usr/lib/ccache:/bin");
  options_.environment["PATH"] = "/root/bin";
  EXPECT_EQ(VisibleEnvironment(options_).at("PATH"), "/usr/local/bin:/usr/bin:/bin");
}

TEST_F(VisibleTest, TheFolderOfANamedToolIsSeenWithItsPartsButNoHome) {
  MakeTool(root_ / "tools/bin/cc");
  options_.environment["CC"] = (root_ / "tools/bin/cc").string() + " -m32";
  EXPECT_THAT(*VisibleFolders(options_), ElementsAre(root_ / "tree", root_ / "tools/bin"));
  fs::create_directories(root_ / "tools/lib/gcc");
  EXPECT_THAT(*VisibleFolders(options_), ElementsAre(root_ / "tree", root_ / "tools"));
  options_.environment = {{"CROSS_COMPILE", (root_ / "tools/bin/arm-").string()}};
  EXPECT_THAT(*VisibleFolders(options_), ElementsAre(root_ / "tree", root_ / "tools"));
  options_.environment = {{"CC", "/usr/bin/gcc"}, {"LD", "ld"}};
  EXPECT_THAT(*VisibleFolders(options_), ElementsAre(root_ / "tree"));
  const char* home = ::getenv("HOME");
  if (home == nullptr) GTEST_SKIP() << "needs a home";
  options_.environment = {{"CC", std::string(home) + "/gcc"}};
  ASSERT_FALSE(VisibleFolders(options_));
  EXPECT_THAT(VisibleFolders(options_).error().message, HasSubstr("--read DIR"));
}

TEST_F(VisibleTest, AToolOfThePathThatIsNotSeenIsTold) {
  MakeTool(root_ / "hidden/gcc");
  options_.environment = {{"CC", "gcc"}, {"PATH", (root_ / "hidden").string() + ":/usr/bin"}};
  const std::vector<NamedText> used = {{"CC", "gcc"}, {"ARCH", "x86"}};
  EXPECT_THAT(HiddenTools(options_, used), SizeIs(1));
  EXPECT_THAT(HiddenTools(options_, {}), IsEmpty()) << "a tool that no file asked for";
  options_.granted = {root_ / "hidden"};
  EXPECT_THAT(HiddenTools(options_, used), IsEmpty());
}

TEST_F(VisibleTest, TheWorkingFolderIsSeenIfItLiesInOneThatIs) {
  fs::create_directories(root_ / "tree/sub");
  const auto folders = *VisibleFolders(options_);
  EXPECT_EQ(VisibleWorkFolder(options_, folders), "") << "ours is none of the tree's business";
  options_.shell_folder = (root_ / "tree/sub").string();
  EXPECT_EQ(VisibleWorkFolder(options_, folders), options_.shell_folder);
}

}  // namespace
}  // namespace hone::kconfig
