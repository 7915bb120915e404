// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/qemu_guest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/guest/guest_contract.h"
#include "hone/domains/kconfig/guest/guest_program.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

const TempDir& Folder() {
  static const TempDir folder = TempDir::Make("hone-qemu-guest-test").value();
  return folder;
}

// The folder of Debian's kernel for this machine; empty if it cannot be had.
fs::path DebianKernel() {
  static const fs::path folder = [] {
    Command command;
    command.arguments = {HONE_SOURCE_DIR "/scripts/debian-kernel"};
    command.limit = std::chrono::minutes{2};
    const auto ran = RunProcess(command);
    if (!ran || ran->status != 0) return fs::path();
    return fs::path(ran->output.substr(0, ran->output.find('\n')));
  }();
  return folder;
}

std::vector<InitramfsFile> ModulesIn(const fs::path& folder) {
  std::vector<InitramfsFile> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files.push_back(
        {"modules/" + entry.path().filename().string(), ReadFile(entry.path()).value(), false});
  }
  std::sort(files.begin(), files.end(),
            [](const auto& one, const auto& other) { return one.path < other.path; });
  return files;
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
  for (std::string& word : exam.arch.qemu_machine) {
    if (word.starts_with("microvm")) word = "microvm,acpi=on,rtc=on";
  }
  if (!FindProgram(arch->qemu, SearchPath())) {
    exam.skipped = "needs " + arch->qemu;
    return exam;
  }
  const fs::path kernel = DebianKernel();
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
