// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hone/base/process/find_program.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/guest/debian_kernel_for_test.h"
#include "hone/domains/kconfig/guest/guest_program.h"
#include "hone/domains/kconfig/guest/guest_result.h"
#include "hone/domains/kconfig/guest/qemu_guest.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

// Both machines of x86-64, on whatever this one is.
class QemuMachineTest : public ::testing::TestWithParam<const char*> {};

TEST_P(QemuMachineTest, DebiansKernelForAmd64BootsAndAnswers) {
  auto arch = OnMachine(GuestArchNamed("x86_64").value(), GetParam());
  ASSERT_TRUE(arch) << arch.error().message;
  if (!FindProgram(arch->qemu, SearchPath())) GTEST_SKIP() << "needs " << arch->qemu;
  if (arch->qemu_machine.starts_with("microvm")) arch->qemu_machine = "microvm,acpi=on,rtc=on";
  const auto folder = TempDir::Make("hone-qemu-machine-test").value();
  const auto program = GuestProgram(*arch, folder.path());
  if (!program) GTEST_SKIP() << program.error().message;
  const fs::path kernel = DebianKernel("amd64");
  if (kernel.empty())
    GTEST_SKIP() << "needs Debian's cloud kernel for amd64 (scripts/debian-kernel)";
  GuestOrder order;
  order.arch = *arch;
  order.image = kernel / "image";
  std::vector<InitramfsFile> files = ModulesIn(kernel / "modules");
  files.push_back({"init", *program, true});
  files.push_back({"etc/hone", GuestTask("n0nce", {"syscall"}, {}), false});
  order.initramfs = MakeInitramfs(files);
  order.counts_instructions = true;
  order.limit = std::chrono::minutes{2};
  const auto report = MakeQemuGuest()->Boot(order);
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->end, GuestEnd::kEnded) << report->console;
  const auto result = ReadGuestResult(report->result, "n0nce", *arch);
  ASSERT_TRUE(result) << result.error().message << "\n" << report->result;
  EXPECT_EQ(result->workloads.size(), std::size_t{1});
}

INSTANTIATE_TEST_SUITE_P(X86, QemuMachineTest, ::testing::Values("microvm", "q35"));

}  // namespace
}  // namespace hone::kernels
