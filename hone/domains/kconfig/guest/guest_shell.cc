// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest_shell.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"

namespace hone::kernels {
namespace {

constexpr char kInstallBusybox[] =
    "a shell in a guest is busybox's, and it must be static: apt-get install busybox-static";

template <typename Part>
bool ReadPart(const std::string& text, std::uint64_t at, Part& part) {
  if (at > text.size() || text.size() - at < sizeof(Part)) return false;
  std::memcpy(&part, text.data() + at, sizeof(Part));
  return true;
}

}  // namespace

bool IsStaticProgram(const std::string& elf) {
  Elf64_Ehdr head{};
  if (!ReadPart(elf, 0, head) || !elf.starts_with(ELFMAG)) return false;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part{};
    if (!ReadPart(elf, head.e_phoff + std::uint64_t{i} * sizeof(part), part)) return false;
    if (part.p_type == PT_INTERP) return false;
  }
  return head.e_phnum > 0;
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
