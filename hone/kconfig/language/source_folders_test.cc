// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/source_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/kconfig/files/kernel_environment.h"
#include "hone/kconfig/files/load.h"

namespace hone::kconfig {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace fs = std::filesystem;

constexpr const char* kSecretLine = "root-secret:$6$abc:19000:0:99999:7:::\n";

// A hostile tree, and beside it a file that is none of its business.
class HostileTreeTest : public testing::Test {
 protected:
  HostileTreeTest() : folder_(TempDir::Make("kconfig-hostile")) {
    fs::create_directories(tree() / "sub");
    fs::create_directories(beside());
    EXPECT_TRUE(WriteFileDurably(beside() / "secret", kSecretLine));
    options_.folders = {tree()};
    options_.shell = ShellPolicy::kRefuse;
  }

  fs::path tree() const { return fs::canonical(folder_->path()) / "tree"; }
  fs::path beside() const { return fs::canonical(folder_->path()) / "beside"; }

  // Everything that a load of such a tree tells, or "loaded".
  std::string Load(const std::string& kconfig, const char* dialect = "linux-6.1") {
    EXPECT_TRUE(WriteFileDurably(tree() / "Kconfig", kconfig));
    options_.dialect = *DialectNamed(dialect);
    const Loaded loaded = LoadTree(options_);
    std::string told = loaded.tree == nullptr ? "" : "loaded";
    for (const Diagnostic& diagnostic : loaded.diagnostics) {
      told += ShowDiagnostic(loaded.files, diagnostic) + "\n";
    }
    return told;
  }

  void ExpectRefused(const std::string& kconfig, const char* dialect = "linux-6.1") {
    SCOPED_TRACE(kconfig);
    const std::string told = Load(kconfig, dialect);
    EXPECT_THAT(told, StartsWith("Kconfig:2: error: \""));
    EXPECT_THAT(told, HasSubstr("not in the tree"));
    EXPECT_THAT(told, HasSubstr("--read DIR"));
    EXPECT_THAT(told, Not(HasSubstr("root-secret")));
  }

  const Result<TempDir> folder_;
  LoadOptions options_;
};

TEST_F(HostileTreeTest, AFileOutsideIsNotReadWhateverItIsCalled) {
  const std::string secret = (beside() / "secret").string();
  fs::create_symlink(beside() / "secret", tree() / "absolute-link");
  fs::create_symlink("../../beside/secret", tree() / "sub/relative-link");
  fs::create_directory_symlink("../beside", tree() / "folder-link");
  for (const std::string& name :
       {secret, std::string("/etc/passwd"), std::string("../beside/secret"),
        std::string("sub/../../beside/secret"), tree().string() + "/../beside/secret",
        std::string("absolute-link"), std::string("sub/relative-link"),
        std::string("folder-link/secret"), tree().string() + "/folder-link/secret",
        std::string("/proc/self/environ"), std::string("/no/such/file")}) {
    ExpectRefused("\nsource \"" + name + "\"\n");
    ExpectRefused("\nosource \"" + name + "\"\n", "kconfiglib");
  }
  ExpectRefused("\nrsource \"../beside/secret\"\n", "kconfiglib");
}

TEST_F(HostileTreeTest, APatternMatchesNothingOutside) {
  fs::create_directory_symlink("../beside", tree() / "folder-link");
  for (const std::string& pattern :
       {beside().string() + "/*", std::string("../beside/s*"), std::string("../*/secret"),
        std::string("/etc/pass*"), tree().string() + "/../beside/*", std::string("folder-link/*"),
        std::string("*/secret")}) {
    ExpectRefused("\nosource \"" + pattern + "\"\n", "kconfiglib");
  }
}

TEST_F(HostileTreeTest, WhatLiesInTheTreeIsReadByEveryName) {
  ASSERT_TRUE(WriteFileDurably(tree() / "sub/Kconfig", "config A\n\tbool \"a\"\n"));
  fs::create_symlink(tree() / "sub/Kconfig", tree() / "absolute-link");
  fs::create_symlink("sub/../sub/Kconfig", tree() / "relative-link");
  fs::create_directory_symlink(tree(), beside() / "to-the-tree");
  for (const std::string& name :
       {std::string("sub/Kconfig"), std::string("sub/../sub/Kconfig"),
        tree().string() + "/sub/Kconfig", tree().string() + "//sub/Kconfig",
        std::string("absolute-link"), std::string("relative-link"),
        beside().string() + "/to-the-tree/sub/Kconfig"}) {
    EXPECT_EQ(Load("source \"" + name + "\"\n"), "loaded") << name;
  }
  for (const std::string& pattern :
       {std::string("sub/K*"), std::string("*/Kconfig"), tree().string() + "/sub/K*"}) {
    EXPECT_EQ(Load("source \"" + pattern + "\"\n", "kconfiglib"), "loaded") << pattern;
  }
}

TEST_F(HostileTreeTest, AGrantedFolderIsReadAndNothingBesideIt) {
  fs::create_directories(beside() / "granted");
  ASSERT_TRUE(WriteFileDurably(beside() / "granted/Kconfig", "config A\n\tbool \"a\"\n"));
  options_.granted = {beside() / "granted"};
  EXPECT_EQ(Load("source \"" + (beside() / "granted/Kconfig").string() + "\"\n"), "loaded");
  EXPECT_EQ(Load("source \"../beside/granted/Kconfig\"\n"), "loaded");
  ExpectRefused("\nsource \"" + (beside() / "granted/../secret").string() + "\"\n");
  ExpectRefused("\nsource \"" + (beside() / "secret").string() + "\"\n");
}

TEST_F(HostileTreeTest, ARootFileThatLeadsOutIsRefused) {
  fs::create_symlink(beside() / "secret", tree() / "Link");
  options_.file = "Link";
  const std::string told = Load("");
  EXPECT_THAT(told, HasSubstr("\"Link\": not in the tree"));
  EXPECT_THAT(told, Not(HasSubstr("root-secret")));
}

TEST_F(HostileTreeTest, APipeHoldsUpNothing) {
  ASSERT_EQ(::mkfifo((tree() / "Kconfig").c_str(), 0600), 0);
  for (const char* const name : {"version.mk", "Rules.mak"}) {
    ASSERT_EQ(::mkfifo((tree() / name).c_str(), 0600), 0);
  }
  const auto place = LocateTree(tree(), "");
  ASSERT_TRUE(place) << place.error().message;
  const auto loaded = LoadTreeOrError(OptionsFor(*place, {}, ShellPolicy::kRefuse));
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("Kconfig: not a regular file but a pipe"));
  ASSERT_EQ(::mkfifo((tree() / "Makefile").c_str(), 0600), 0);
  EXPECT_THAT(LocateTree(tree(), "").error().message,
              HasSubstr("Makefile: not a regular file but a pipe"));
}

TEST_F(HostileTreeTest, AnArchitectureIsAName) {
  ASSERT_TRUE(WriteFileDurably(tree() / "Kconfig", "source \"arch/$(SRCARCH)/Kconfig\"\n"));
  fs::create_directories(tree() / "arch");
  const auto place = LocateTree(tree(), "../../beside");
  ASSERT_FALSE(place);
  EXPECT_THAT(place.error().message, HasSubstr("ARCH=../../beside: a path"));
}

}  // namespace
}  // namespace hone::kconfig
