// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/kbuild.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <system_error>
#include <thread>

#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/build/kbuild_tree_for_test.h"
#include "hone/testing/wait_until.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class KbuildTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = MissingBuildTool(); !missing.empty()) {
      GTEST_SKIP() << "needs " << missing;
    }
    ASSERT_TRUE(WriteKbuildTree(tree_));
    auto source = FindKernelSource(tree_, "");
    ASSERT_TRUE(source) << source.error().message;
    builder_.emplace(*source, folder_.path() / "cache");
  }

  KernelBuild Build(const std::string& config,
                    std::chrono::milliseconds limit = std::chrono::minutes{1}) {
    const auto build = builder_->Build({config, limit});
    EXPECT_TRUE(build) << build.error().message;
    return build ? *build : KernelBuild{};
  }

  std::size_t LeftOver() { return CountInCache("new-"); }

  std::size_t CountInCache(std::string_view beginning) {
    std::size_t count = 0;
    std::error_code gone;  // What a build makes and removes meanwhile.
    for (fs::recursive_directory_iterator at(folder_.path() / "cache", gone), end; at != end;
         at.increment(gone)) {
      count += at->path().filename().string().starts_with(beginning) ? 1 : 0;
    }
    return count;
  }

  // Opens the tree again, as it is now.
  void OpenAgain() {
    const auto source = FindKernelSource(tree_, "");
    ASSERT_TRUE(source) << source.error().message;
    builder_.emplace(*source, folder_.path() / "cache");
  }

  // With the size and the time of modification that the file has.
  void Forge(const fs::path& file, const std::string& text) {
    const auto time = fs::last_write_time(file);
    ASSERT_EQ(fs::file_size(file), text.size());
    ASSERT_TRUE(WriteKbuildFile(file, text));
    fs::last_write_time(file, time);
  }

  TempDir folder_ = TempDir::Make("hone-kbuild-test").value();
  fs::path tree_ = folder_.path() / "tree";
  std::optional<Kbuild> builder_;
};

TEST_F(KbuildTest, NoKernelIsBuiltTwice) {
  const KernelBuild first = Build("CONFIG_MAIN=y\n");
  ASSERT_TRUE(first.kernel) << first.reason << first.log;
  EXPECT_FALSE(first.is_known);
  EXPECT_EQ(first.kernel->compiled, 2);
  EXPECT_GT(first.kernel->image_bytes, 0);
  const KernelBuild again = Build("# A comment makes no other kernel.\nCONFIG_MAIN=y\n");
  ASSERT_TRUE(again.kernel);
  EXPECT_TRUE(again.is_known);
  EXPECT_EQ(LeftOver(), std::size_t{0});
}

TEST_F(KbuildTest, AnotherConfigurationStartsFromTheObjectsThatAreThere) {
  Build("CONFIG_MAIN=y\n");
  EXPECT_EQ(builder_->CostOf("CONFIG_MAIN=y\n"), std::size_t{0});
  EXPECT_EQ(builder_->CostOf("CONFIG_MAIN=y\nCONFIG_FAST=y\n"), std::size_t{1});
  const KernelBuild next = Build("CONFIG_MAIN=y\nCONFIG_FAST=y\n");
  ASSERT_TRUE(next.kernel) << next.reason << next.log;
  EXPECT_EQ(next.kernel->compiled, 1);
}

TEST_F(KbuildTest, ACompilersErrorIsTheReason) {
  const KernelBuild build = Build("CONFIG_BROKEN=y\n");
  EXPECT_FALSE(build.kernel);
  EXPECT_THAT(build.reason, HasSubstr("error: #error \"it is broken\""));
  EXPECT_EQ(LeftOver(), std::size_t{0});
}

TEST_F(KbuildTest, AnOptionThatTheTreeDropsIsSaid) {
  const KernelBuild build = Build("CONFIG_MAIN=y\nCONFIG_LOST=y\n");
  EXPECT_TRUE(build.is_config_other);
  EXPECT_THAT(build.reason, HasSubstr("LOST"));
}

TEST_F(KbuildTest, AnEndlessBuildEndsAtItsLimit) {
  const KernelBuild build = Build("CONFIG_SLOW=y\n", std::chrono::seconds{3});
  EXPECT_TRUE(build.is_late);
  EXPECT_EQ(LeftOver(), std::size_t{0});
}

TEST_F(KbuildTest, ABuildEndsWhenItIsAskedTo) {
  std::stop_source stop;
  std::jthread asks([&] {
    WaitUntil([&] { return LeftOver() > 0; }, "a kernel is in the making");
    stop.request_stop();
  });
  const auto build =
      builder_->Build({"CONFIG_SLOW=y\n", std::chrono::minutes{5}, stop.get_token()});
  EXPECT_FALSE(build);
  EXPECT_EQ(LeftOver(), std::size_t{0});
}

TEST_F(KbuildTest, ATreeCannotWriteIntoItself) {
  EXPECT_FALSE(Build("CONFIG_WRITES=y\n").kernel);
  EXPECT_FALSE(fs::exists(tree_ / "written"));
}

TEST_F(KbuildTest, AChangedSourceIsAnotherTree) {
  const auto before = FindKernelSource(tree_, "");
  ASSERT_TRUE(WriteKbuildFile(tree_ / "init/fast.c", "int other = 2;\n"));
  const auto after = FindKernelSource(tree_, "");
  ASSERT_TRUE(before && after);
  EXPECT_NE(before->identity, after->identity);
}

TEST_F(KbuildTest, AForgedSourceGetsAKernelOfItsOwn) {
  const KernelBuild first = Build("CONFIG_MAIN=y\n");
  ASSERT_TRUE(first.kernel) << first.reason << first.log;
  Forge(tree_ / "init/main.c", kKbuildOtherSource);
  OpenAgain();
  EXPECT_NE(builder_->CostOf("CONFIG_MAIN=y\n"), std::size_t{0});
  const KernelBuild second = Build("CONFIG_MAIN=y\n");
  ASSERT_TRUE(second.kernel) << second.reason << second.log;
  EXPECT_FALSE(second.is_known);
  EXPECT_EQ(second.kernel->compiled, 2);
  EXPECT_NE(ReadFile(second.kernel->image).value(), ReadFile(first.kernel->image).value());
}

TEST_F(KbuildTest, ATreeThatIsNoLongerTheOneThatWasOpenedIsNotBuiltFrom) {
  Forge(tree_ / "init/main.c", kKbuildOtherSource);
  const auto build = builder_->Build({"CONFIG_MAIN=y\n", std::chrono::minutes{1}});
  ASSERT_FALSE(build);
  EXPECT_EQ(build.error().code, Errc::kStale);
  EXPECT_THAT(build.error().message, HasSubstr("begin again"));
  EXPECT_EQ(CountInCache("image"), std::size_t{0});
}

TEST_F(KbuildTest, WhatWasBuiltWhileTheTreeChangedIsNotKept) {
  std::jthread edits([&] {
    WaitUntil([&] { return CountInCache("waits") > 0; }, "the build has begun");
    Forge(tree_ / "init/main.c", kKbuildOtherSource);
    WaitUntil([&] { return CountInCache("goes_on") > 0; }, "the build has seen it");
    Forge(tree_ / "init/main.c", kKbuildSource);  // As if nothing had been.
  });
  const auto build = builder_->Build({"CONFIG_WAITS=y\n", std::chrono::minutes{1}});
  edits.join();
  ASSERT_FALSE(build);
  EXPECT_EQ(build.error().code, Errc::kUnavailable);
  EXPECT_THAT(build.error().message, HasSubstr("was changed while a kernel was built"));
  EXPECT_EQ(CountInCache("image"), std::size_t{0});
  EXPECT_EQ(CountInCache("tree-"), std::size_t{0});
}

TEST_F(KbuildTest, AKernelThatOnlyALinkLeadsToIsNotTaken) {
  const fs::path elsewhere = folder_.path() / "elsewhere";
  for (const char* image : {"x86/boot/bzImage", "arm64/boot/Image", "riscv/boot/Image"}) {
    ASSERT_TRUE(WriteKbuildFile(elsewhere / image, "another kernel"));
  }
  ASSERT_TRUE(WriteKbuildFile(tree_ / "place", elsewhere.string() + "\n"));
  OpenAgain();
  const KernelBuild build = Build("CONFIG_LINKS=y\n");
  EXPECT_FALSE(build.kernel);
  EXPECT_THAT(build.reason, HasSubstr("make made no"));
}

TEST_F(KbuildTest, APipeInThePlaceOfTheConfigurationHoldsNothingUp) {
  EXPECT_TRUE(Build("CONFIG_PIPES=y\n").is_config_other);
}

TEST_F(KbuildTest, ABuildDoesNotSeeTheFolderOfGit) {
  ASSERT_TRUE(WriteKbuildFile(tree_ / ".git/HEAD", "ref: refs/heads/main\n"));
  const KernelBuild build = Build("CONFIG_GIT=y\n");
  EXPECT_FALSE(build.kernel);
  EXPECT_THAT(build.log, HasSubstr(".git/HEAD: No such file"));
}

TEST_F(KbuildTest, WhatIsNoSourceOfLinuxIsRefused) {
  EXPECT_THAT(FindKernelSource(folder_.path(), "").error().message, HasSubstr("not the source"));
  ASSERT_TRUE(WriteKbuildFile(tree_ / ".config", ""));
  EXPECT_THAT(FindKernelSource(tree_, "").error().message, HasSubstr("mrproper"));
}

}  // namespace
}  // namespace hone::kernels
