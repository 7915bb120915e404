// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/kernel_setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"

namespace hone::kernels {
namespace {

using ::testing::HasSubstr;

class KernelSetupTest : public ::testing::Test {
 protected:
  // As Debian's package lays it down: one folder in one archive.
  void PackSource() {
    ASSERT_TRUE(MakeFolder(folder_.path() / "linux-source-9.9"));
    ASSERT_TRUE(WriteFileAtomically(folder_.path() / "linux-source-9.9/Kconfig", "# x\n"));
    Command command;
    command.arguments = {"tar",
                         "-C",
                         folder_.path().string(),
                         "-cJf",
                         (folder_.path() / "linux-source-9.9.tar.xz").string(),
                         "linux-source-9.9"};
    const auto ran = RunProcess(command);
    ASSERT_TRUE(ran && ran->status == 0);
  }

  TempDir folder_ = TempDir::Make("hone-kernel-setup-test").value();
  std::filesystem::path cache_ = folder_.path() / "cache";
};

TEST_F(KernelSetupTest, ASourceIsUnpackedOnceAndFoundByItsName) {
  PackSource();
  EXPECT_EQ(PlaceOfTree("linux-source-9.9", cache_), "linux-source-9.9");
  const auto tree = UnpackSource("linux-source-9.9", folder_.path(), cache_);
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(ReadFile(*tree / "Kconfig").value(), "# x\n");
  EXPECT_EQ(PlaceOfTree("linux-source-9.9", cache_), *tree);
  std::filesystem::remove(folder_.path() / "linux-source-9.9.tar.xz");
  EXPECT_EQ(UnpackSource("linux-source-9.9", folder_.path(), cache_).value(), *tree);
}

TEST_F(KernelSetupTest, AnArchiveThatIsBrokenLeavesNothing) {
  ASSERT_TRUE(WriteFileAtomically(folder_.path() / "linux-source-9.9.tar.xz", "not an archive"));
  EXPECT_FALSE(UnpackSource("linux-source-9.9", folder_.path(), cache_));
  EXPECT_TRUE(std::filesystem::is_empty(cache_ / "kernel-sources"));
  EXPECT_THAT(UnpackSource("linux-source-8", folder_.path(), cache_).error().message,
              HasSubstr("linux-source-8.tar.xz: it is not there"));
}

TEST_F(KernelSetupTest, AFolderOfThatNameComesFirst) {
  EXPECT_EQ(PlaceOfTree(folder_.path(), cache_), folder_.path());
  EXPECT_EQ(PlaceOfTree("some/where", cache_), "some/where");
}

TEST(NeededPackageTest, OnlyWhatIsNotHereIsMissing) {
  const auto missing = MissingOf({{"sh", "dash", ""},
                                  {"no-such-program", "nothing", ""},
                                  {"/etc", "base", ""},
                                  {"/no/such.h", "headers", ""}});
  ASSERT_EQ(missing.size(), 2u);
  EXPECT_EQ(missing[0].package, "nothing");
  EXPECT_EQ(missing[1].package, "headers");
}

TEST(NeededPackageTest, ACrossCompilerComesWithItsLibrary) {
  const auto arm = PackagesToBuild(GuestArchNamed("arm64").value(), "aarch64-linux-gnu-");
  EXPECT_EQ(arm.back().package, "gcc-aarch64-linux-gnu libc6-dev-arm64-cross");
  EXPECT_EQ(PackageToBoot(GuestArchNamed("riscv").value()).package, "qemu-system-misc");
}

}  // namespace
}  // namespace hone::kernels
