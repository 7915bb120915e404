// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/kbuild.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/base/temp_dir.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A tree in kbuild's shape: one object a source, made again when an option that it mentions
// changes.
constexpr char kMakefile[] = R"(VERSION = 6
PATCHLEVEL = 1
SUBLEVEL = 7
bzImage Image:
	@+$(MAKE) --no-print-directory -C $(O) -f $(CURDIR)/Makefile.build S=$(CURDIR) $@
)";
constexpr char kMakefileBuild[] = R"(include .config
image := $(if $(filter x86_64,$(ARCH)),arch/x86/boot/bzImage,arch/$(ARCH)/boot/Image)
bzImage Image: $(image)
$(image): main.o fast.o
	@mkdir -p $(dir $@)
	@cat $^ > $@
	@cp $@ vmlinux
	@$(if $(CONFIG_LOST),sed -i /LOST/d .config)
	@$(if $(CONFIG_SLOW),sleep 100)
	@$(if $(CONFIG_WRITES),touch $(S)/written)
main.o: $(S)/init/main.c
fast.o: $(S)/init/fast.c .config
main.o fast.o:
	@echo "  CC      $@"
	@$(CC) $(if $(CONFIG_BROKEN),-DBROKEN) $(if $(CONFIG_FAST),-DFAST) -c -o $@ $<
	@echo 'deps := $$(wildcard include/config/$(if $(filter fast.o,$@),FAST,MAIN))' > .$@.cmd
)";
constexpr char kSource[] = "#ifdef BROKEN\n#error \"it is broken\"\n#endif\nint value = 1;\n";

class KbuildTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* tool : {"make", "flex", "bison", "bc", "perl"}) {
      if (!FindProgram(tool, SearchPath())) GTEST_SKIP() << "needs " << tool;
    }
    Write("Makefile", kMakefile);
    Write("Makefile.build", kMakefileBuild);
    Write("init/main.c", kSource);
    Write("init/fast.c", kSource);
    auto source = FindKernelSource(tree_, "");
    ASSERT_TRUE(source) << source.error().message;
    builder_.emplace(*source, folder_.path() / "cache");
  }

  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(MakeFolder((tree_ / name).parent_path()));
    ASSERT_TRUE(WriteFileAtomically(tree_ / name, text));
    fs::permissions(tree_ / name, fs::perms(0644));
  }

  KernelBuild Build(const std::string& config,
                    std::chrono::milliseconds limit = std::chrono::minutes{1}) {
    const auto build = builder_->Build({config, limit});
    EXPECT_TRUE(build) << build.error().message;
    return build ? *build : KernelBuild{};
  }

  std::size_t LeftOver() {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "cache")) {
      count += entry.path().filename().string().starts_with("new-") ? 1 : 0;
    }
    return count;
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
    std::this_thread::sleep_for(std::chrono::seconds{1});
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
  Write("init/fast.c", "int other = 2;\n");
  const auto after = FindKernelSource(tree_, "");
  ASSERT_TRUE(before && after);
  EXPECT_NE(before->identity, after->identity);
}

TEST_F(KbuildTest, WhatIsNoSourceOfLinuxIsRefused) {
  EXPECT_THAT(FindKernelSource(folder_.path(), "").error().message, HasSubstr("not the source"));
  Write(".config", "");
  EXPECT_THAT(FindKernelSource(tree_, "").error().message, HasSubstr("mrproper"));
}

}  // namespace
}  // namespace hone::kernels
