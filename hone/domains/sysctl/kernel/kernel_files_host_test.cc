// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "hone/base/temp_dir.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"

namespace hone::sysctl {
namespace {

TEST(HostFilesTest, APipeIsRefusedAndNotWaitedFor) {
  const auto folder = TempDir::Make("host-files");
  ASSERT_TRUE(folder);
  const std::string pipe = folder->path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto files = MakeHostFiles();
  EXPECT_EQ(files->Read(pipe).error().code, Errc::kUnsupported);
  EXPECT_FALSE(files->IsWritable(pipe));
  EXPECT_EQ(files->Read(folder->path()).error().code, Errc::kUnsupported);
}

TEST(HostFilesTest, AnEndlessFileIsRefused) {
  EXPECT_EQ(MakeHostFiles()->Read("/dev/zero").error().code, Errc::kUnsupported);
}

TEST(HostFilesTest, ReadOnlyFilesOfSysfsAreNotWritableForRootEither) {
  const std::string path = "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not in this kernel";
  EXPECT_FALSE(MakeHostFiles()->IsWritable(path));
}

}  // namespace
}  // namespace hone::sysctl
