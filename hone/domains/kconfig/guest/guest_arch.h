// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::kernels {

// What one has to know of a processor to build a kernel for it and to run that in QEMU.
struct GuestArch {
  std::string name;          // As ARCH=…: x86_64, arm64, riscv.
  std::string machine;       // As `uname -m` says it.
  std::string cross;         // What the names of Debian's cross compilers begin with.
  std::string target;        // What make builds: bzImage.
  std::string image;         // Where that lies in the build folder.
  std::string qemu;          // The program.
  std::string qemu_machine;  // What -machine gets.
  std::string qemu_cpu;      // What -cpu gets under TCG; empty: QEMU's own choice.
  std::string kvm_machine;   // The same under KVM.
  std::string kvm_cpu;
  std::string port;                 // QEMU's device for the port to the host.
  std::string serial;               // The console's device.
  std::string reboot;               // What the command line needs to end the machine.
  double ticks_per_ns = 1;          // Of the processor's counter, where it does not say so.
  std::vector<std::string> needed;  // NAME=VALUE of options without which it does not boot here.
};

const std::vector<GuestArch>& AllGuestArches();

// By ARCH= or machine: x86_64, x86, arm64, aarch64, riscv, riscv64; empty: this machine's.
Result<GuestArch> GuestArchNamed(std::string_view name);

// The same on another machine of QEMU's: microvm or q35 for x86_64, virt for the others; empty: as
// it is.
Result<GuestArch> OnMachine(GuestArch arch, std::string_view machine);

std::string MachineHere();  // As `uname -m` says it.

// The prefix of the tools that build for it here: "x86_64-linux-gnu-", or empty on such a machine.
std::string CrossPrefix(const GuestArch& arch);

}  // namespace hone::kernels
