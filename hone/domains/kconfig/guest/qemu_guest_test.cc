// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/qemu_guest.h"

#include <gtest/gtest.h>

#include "hone/base/process/find_program.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/guest/debian_kernel_for_test.h"
#include "hone/domains/kconfig/guest/guest_contract.h"
#include "hone/domains/kconfig/guest/guest_program.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

const TempDir& Folder() {
  static const TempDir folder = TempDir::Make("hone-qemu-guest-test").value();
  return folder;
}

// A real kernel that nobody of us built.
GuestExam DebianExam() {
  GuestExam exam;
  const auto arch = GuestArchNamed("");
  if (!arch) {
    exam.skipped = arch.error().message;
    return exam;
  }
  exam.arch = *arch;
  // On x86 it finds its devices by ACPI; kernels of ours by their command line.
  if (arch->name == "x86_64") exam.arch.qemu_machine = "microvm,acpi=on,rtc=on";
  if (!FindProgram(arch->qemu, SearchPath())) {
    exam.skipped = "needs " + arch->qemu;
    return exam;
  }
  static const fs::path kernel = DebianKernel("");
  if (kernel.empty()) {
    exam.skipped = "needs Debian's cloud kernel, which scripts/debian-kernel could not fetch";
    return exam;
  }
  exam.guest = MakeQemuGuest();
  exam.image = kernel / "image";
  const auto program = GuestProgram(*arch, Folder().path());
  EXPECT_TRUE(program) << program.error().message;
  exam.program = program ? *program : "";
  exam.modules = ModulesIn(kernel / "modules");
  return exam;
}

INSTANTIATE_TEST_SUITE_P(Qemu, GuestContract, ::testing::Values(&DebianExam));

}  // namespace
}  // namespace hone::kernels
