// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/kernel_lab.h"

#include <utility>

#include "hone/base/cache_folder.h"
#include "hone/domains/kconfig/build/kbuild.h"
#include "hone/domains/kconfig/guest/guest_program.h"
#include "hone/domains/kconfig/guest/qemu_guest.h"

namespace hone::kernels {

Result<KernelLab> OpenKernelLab(const std::filesystem::path& tree, std::string_view arch) {
  KernelLab lab;
  auto source = FindKernelSource(tree, arch);
  if (!source) return source.error();
  lab.source = std::move(*source);
  lab.cache = CacheFolder();
  auto program = GuestProgram(lab.source.arch, lab.cache / "guest-programs");
  if (!program) return program.error();
  lab.program = std::move(*program);
  lab.builder = std::make_unique<Kbuild>(lab.source, lab.cache);
  lab.guest = MakeQemuGuest();
  return lab;
}

}  // namespace hone::kernels
