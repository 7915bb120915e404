// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/kernel_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace hone::sysctl {
namespace {

using testing::HasSubstr;

TEST(KernelTextTest, TabsOfATupleBecomeBlanksAndTheNewlineGoes) {
  EXPECT_EQ(CleanText("4096\t131072\t6291456\n"), "4096 131072 6291456");
  EXPECT_EQ(CleanText("4096   131072 \n"), "4096 131072");
  EXPECT_EQ(CleanText("\n"), "");
  EXPECT_EQ(CleanText(""), "");
}

TEST(KernelTextTest, InnerNewlinesStay) { EXPECT_EQ(CleanText("a\nb\n"), "a\nb"); }

TEST(KernelTextTest, TheChosenOneOfSysfsIsTheText) {
  const std::string path = "/sys/kernel/mm/transparent_hugepage/enabled";
  EXPECT_EQ(ChosenText(path, "always [madvise] never\n"), "madvise");
  EXPECT_EQ(ChosenText(path, "[always] madvise never\n"), "always");
  EXPECT_EQ(ChosenText(path, "always madvise [never]\n"), "never");
  EXPECT_EQ(ChosenText(path, "always defer defer+madvise [madvise] never\n"), "madvise");
}

TEST(KernelTextTest, BracketsElsewhereAreJustText) {
  EXPECT_EQ(ChosenText("/proc/sys/kernel/core_pattern", "a [b] c\n"), "a [b] c");
  EXPECT_EQ(ChosenText("/sys/x", "a[b]c\n"), "a[b]c");
  EXPECT_EQ(ChosenText("/sys/x", "a [b\n"), "a [b");
}

TEST(KernelTextTest, ARefusedValueNamesParameterTextAndErrno) {
  const Error error = WriteError("/proc/sys/vm/dirty_bytes", "0", EINVAL);
  EXPECT_EQ(error.code, Errc::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("vm.dirty_bytes = \"0\""));
  EXPECT_THAT(error.message, HasSubstr("EINVAL"));
}

TEST(KernelTextTest, ENOENTMeansNoSuchParameterAtOpenButARefusedValueAtWrite) {
  const std::string path = "/proc/sys/net/ipv4/tcp_congestion_control";
  EXPECT_EQ(OpenError(path, ENOENT).code, Errc::kNotFound);
  EXPECT_EQ(WriteError(path, "nonesuch", ENOENT).code, Errc::kInvalidArgument);
}

TEST(KernelTextTest, WhatIsForbiddenIsUnsupported) {
  for (const int number : {EACCES, EPERM, EROFS}) {
    EXPECT_EQ(OpenError("/proc/sys/a", number).code, Errc::kUnsupported);
    EXPECT_EQ(WriteError("/proc/sys/a", "1", number).code, Errc::kUnsupported);
  }
}

}  // namespace
}  // namespace hone::sysctl
