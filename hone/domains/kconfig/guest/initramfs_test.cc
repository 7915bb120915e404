// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/initramfs.h"

#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"

namespace hone::kernels {
namespace {

// cpio itself is the oracle.
TEST(InitramfsTest, CpioUnpacksWhatWasPacked) {
  if (!FindProgram("cpio", SearchPath())) GTEST_SKIP() << "needs cpio";
  const auto folder = TempDir::Make("hone-initramfs-test").value();
  Command command;
  // A device needs root; the rest does not.
  command.arguments = {"cpio", "-i", "-d", "--quiet", "--nonmatching", "dev/console"};
  command.folder = folder.path();
  command.input = MakeInitramfs({{"init", "#!program", true}, {"etc/deep/hone", "a\nb", false}});
  const auto ran = RunProcess(command);
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(ran->status, 0) << ran->errors;
  EXPECT_EQ(ReadFile(folder.path() / "init").value(), "#!program");
  EXPECT_EQ(ReadFile(folder.path() / "etc/deep/hone").value(), "a\nb");
  const auto mode = std::filesystem::status(folder.path() / "init").permissions();
  EXPECT_NE(mode & std::filesystem::perms::owner_exec, std::filesystem::perms::none);
}

TEST(InitramfsTest, TheSameFilesGiveTheSameBytes) {
  const std::vector<InitramfsFile> files{{"init", "x", true}};
  EXPECT_EQ(MakeInitramfs(files), MakeInitramfs(files));
  EXPECT_EQ(MakeInitramfs(files).size() % 4, std::size_t{0});
}

}  // namespace
}  // namespace hone::kernels
