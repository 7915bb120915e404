// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest_arch.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>

namespace hone::kernels {
namespace {

// For a first program in memory, a console, and a port to the host.
std::vector<std::string> NeededBy(const std::vector<std::string>& machine) {
  std::vector<std::string> needed{
      "BLK_DEV_INITRD=y", "BINFMT_ELF=y", "PRINTK=y",      "TTY=y",         "PROC_FS=y",
      "SYSFS=y",          "DEVTMPFS=y",   "VIRTIO_MENU=y", "VIRTIO_MMIO=y", "VIRTIO_CONSOLE=y"};
  needed.insert(needed.end(), machine.begin(), machine.end());
  return needed;
}

}  // namespace

std::string MachineHere() {
  utsname names{};
  uname(&names);
  return static_cast<const char*>(names.machine);
}

const std::vector<GuestArch>& AllGuestArches() {
  static const std::vector<GuestArch> arches{
      {.name = "x86_64",
       .machine = "x86_64",
       .cross = "x86_64-linux-gnu-",
       .target = "bzImage",
       .image = "arch/x86/boot/bzImage",
       .qemu = "qemu-system-x86_64",
       .qemu_machine = "microvm,acpi=off,rtc=on",
       .qemu_cpu = "max",
       .kvm_machine = "microvm,acpi=off,rtc=on",
       .kvm_cpu = "host,migratable=off,+invtsc",  // Then it says how fast its counter is.
       .port = "virtio-serial-device",
       .serial = "ttyS0",
       .reboot = "reboot=t",
       .ticks_per_ns = 1,
       .needed = NeededBy(
           {"64BIT=y", "SERIAL_8250=y", "SERIAL_8250_CONSOLE=y", "VIRTIO_MMIO_CMDLINE_DEVICES=y"})},
      {.name = "arm64",
       .machine = "aarch64",
       .cross = "aarch64-linux-gnu-",
       .target = "Image",
       .image = "arch/arm64/boot/Image",
       .qemu = "qemu-system-aarch64",
       .qemu_machine = "virt",
       .qemu_cpu = "cortex-a72",
       .kvm_machine = "virt,gic-version=host",
       .kvm_cpu = "host",
       .port = "virtio-serial-device",
       .serial = "ttyAMA0",
       .reboot = "",
       .ticks_per_ns = 0.0625,
       .needed = NeededBy({"SERIAL_AMBA_PL011=y", "SERIAL_AMBA_PL011_CONSOLE=y"})},
      {.name = "riscv",
       .machine = "riscv64",
       .cross = "riscv64-linux-gnu-",
       .target = "Image",
       .image = "arch/riscv/boot/Image",
       .qemu = "qemu-system-riscv64",
       .qemu_machine = "virt",
       .qemu_cpu = "",
       .kvm_machine = "virt",
       .kvm_cpu = "host",
       .port = "virtio-serial-device",
       .serial = "ttyS0",
       .reboot = "",
       .ticks_per_ns = 0.01,
       .needed = NeededBy({"MMU=y", "FPU=y", "RISCV_ISA_C=y", "SOC_VIRT=y", "64BIT=y",
                           "SERIAL_8250=y", "SERIAL_8250_CONSOLE=y", "SERIAL_OF_PLATFORM=y",
                           "POWER_RESET=y", "POWER_RESET_SYSCON=y"})},
  };
  return arches;
}

Result<GuestArch> GuestArchNamed(std::string_view name) {
  std::string wanted(name.empty() ? MachineHere() : name);
  if (wanted == "x86") wanted = "x86_64";
  const auto& all = AllGuestArches();
  const auto found = std::find_if(all.begin(), all.end(), [&](const GuestArch& arch) {
    return arch.name == wanted || arch.machine == wanted;
  });
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const GuestArch& arch : all) names.push_back(arch.name);
  return Error{Errc::kInvalidArgument,
               fmt::format("{}: no kernel for this processor can be booted; there are {}", wanted,
                           fmt::join(names, ", "))};
}

Result<GuestArch> OnMachine(GuestArch arch, std::string_view machine) {
  const std::string usual = arch.qemu_machine.substr(0, arch.qemu_machine.find(','));
  if (machine.empty() || machine == usual) return arch;
  if (arch.name != "x86_64" || machine != "q35") {
    return Error{Errc::kInvalidArgument,
                 fmt::format("machine={}: for {} there is {}", machine, arch.name,
                             arch.name == "x86_64" ? "microvm, q35" : usual)};
  }
  arch.qemu_machine = arch.kvm_machine = "q35";
  arch.port = "virtio-serial-pci";
  for (const char* option : {"PCI=y", "VIRTIO_PCI=y"}) arch.needed.emplace_back(option);
  return arch;
}

std::string CrossPrefix(const GuestArch& arch) {
  return arch.machine == MachineHere() ? "" : arch.cross;
}

}  // namespace hone::kernels
