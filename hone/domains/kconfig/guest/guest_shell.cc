// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest_shell.h"

#include <fmt/format.h>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/domains/kconfig/guest/elf_program.h"

namespace hone::kernels {
namespace {

constexpr char kInstallBusybox[] =
    "a shell in a guest is busybox's, and it must be static: apt-get install busybox-static";

}  // namespace

bool IsStaticProgram(const std::string& elf) {
  const auto program = ReadElfProgram(elf);
  return program && program->loader.empty();
}

Result<std::vector<InitramfsFile>> GuestShellFiles(const GuestArch& arch,
                                                   const std::string& program) {
  if (arch.machine != MachineHere()) {
    return Error{
        Errc::kUnsupported,
        fmt::format("a shell is there only in guests for this machine's own processor: its "
                    "busybox is for {}, the guest for {}",
                    MachineHere(), arch.machine)};
  }
  const auto busybox = FindProgram("busybox", SearchPath());
  if (!busybox) return Error{Errc::kUnavailable, kInstallBusybox};
  auto text = ReadFile(*busybox);
  if (!text) return text.error();
  if (!IsStaticProgram(*text)) return Error{Errc::kUnavailable, kInstallBusybox};
  return std::vector<InitramfsFile>{{"init", program, true},
                                    {"bin/busybox", std::move(*text), true},
                                    {"etc/hone", fmt::format("shell {}\n", arch.serial), false}};
}

}  // namespace hone::kernels
