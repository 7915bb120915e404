// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest_shell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "hone/base/descriptor.h"
#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/guest/debian_kernel_for_test.h"
#include "hone/domains/kconfig/guest/guest_program.h"
#include "hone/domains/kconfig/guest/qemu_guest.h"

namespace hone::kernels {
namespace {

using ::testing::HasSubstr;

TEST(GuestShellTest, AProgramThatNeedsALinkerIsNotStatic) {
  EXPECT_FALSE(IsStaticProgram(ReadFile("/proc/self/exe").value()));
  const std::string elf = ReadFile("/proc/self/exe").value();
  EXPECT_FALSE(IsStaticProgram(elf.substr(0, 70)));  // Cut in the middle of its list.
  EXPECT_FALSE(IsStaticProgram(""));
}

TEST(GuestShellTest, AGuestForAnotherProcessorHasNone) {
  const char* other = MachineHere() == "x86_64" ? "arm64" : "x86_64";
  EXPECT_THAT(GuestShellFiles(GuestArchNamed(other).value(), "init").error().message,
              HasSubstr("this machine's own processor"));
}

std::string ReadUntil(int from, const std::string& sign, std::string& read) {
  std::array<char, 4096> chunk{};
  while (read.find(sign) == std::string::npos) {
    const ssize_t size = ::read(from, chunk.data(), chunk.size());
    if (size <= 0) break;
    read.append(chunk.data(), static_cast<std::size_t>(size));
  }
  return read;
}

// A person at the console of Debian's kernel: types, reads, and ends the machine by Ctrl-A x.
TEST(GuestShellTest, WhatIsTypedIsDoneByAShellInTheGuest) {
  const auto arch = GuestArchNamed("");
  if (!arch) GTEST_SKIP() << arch.error().message;
  const auto folder = TempDir::Make("hone-guest-shell-test").value();
  const auto program = GuestProgram(*arch, folder.path());
  if (!program) GTEST_SKIP() << program.error().message;
  auto files = GuestShellFiles(*arch, *program);
  if (!files) GTEST_SKIP() << files.error().message;
  const std::filesystem::path kernel = DebianKernel("");
  if (kernel.empty()) GTEST_SKIP() << "needs Debian's cloud kernel (scripts/debian-kernel)";
  for (InitramfsFile& module : ModulesIn(kernel / "modules")) files->push_back(std::move(module));
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  GuestOrder order;
  order.arch = *arch;
  if (arch->name == "x86_64") order.arch.qemu_machine = "microvm,acpi=on,rtc=on";
  order.image = kernel / "image";
  order.initramfs = MakeInitramfs(*files);
  order.console = theirs.get();
  order.limit = std::chrono::minutes{2};
  Result<GuestReport> report = Error{Errc::kUnavailable, "not booted"};
  std::jthread guest([&] {
    report = MakeQemuGuest()->Boot(order);
    theirs.Close();
  });
  std::string read;
  ReadUntil(ours.get(), "/ # ", read);
  EXPECT_EQ(::send(ours.get(), "echo $((6*7)) $(uname -s)\n", 26, MSG_NOSIGNAL), 26) << read;
  EXPECT_THAT(ReadUntil(ours.get(), "42 Linux", read), HasSubstr("42 Linux")) << read;
  EXPECT_EQ(::send(ours.get(), "\x01x", 2, MSG_NOSIGNAL), 2);
  guest.join();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_LT(report->wall, order.limit);
}

}  // namespace
}  // namespace hone::kernels
