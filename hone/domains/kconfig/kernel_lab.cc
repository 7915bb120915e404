// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/kernel_lab.h"

#include <utility>

#include "hone/base/cache_folder.h"
#include "hone/base/process/find_program.h"
#include "hone/domains/kconfig/build/file_digests.h"
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
  if (const auto qemu = FindProgram(lab.source.arch.qemu, SearchPath())) {
    auto digest = DigestOfFile(*qemu);
    if (!digest) return digest.error();
    lab.emulator = std::move(*digest);
  }
  lab.builder = std::make_unique<Kbuild>(lab.source, lab.cache);
  lab.guest = MakeQemuGuest();
  return lab;
}

Result<CompleteConfig> ConfigFor(const KernelLab& lab, const std::string& base,
                                 const std::vector<std::string>& wishes) {
  OptionsRequest request;
  request.base = base;
  request.cache = lab.cache;
  const auto options = KernelOptions::Load(lab.source, request);
  if (!options) return options.error();
  return ConfigFor(*options, wishes);
}

Result<CompleteConfig> ConfigFor(const KernelOptions& options,
                                 const std::vector<std::string>& wishes) {
  std::vector<kconfig::Wish> wanted;
  for (const std::string& text : wishes) {
    auto wish = kconfig::ParseWish(options.base().tree(), text);
    if (!wish) return wish.error();
    wanted.push_back(std::move(*wish));
  }
  CompleteConfig complete = options.Complete(wanted);
  if (complete.config.empty()) return Error{Errc::kInvalidArgument, complete.reason};
  return complete;
}

MeasureOrder MeasureAll(const KernelLab& lab, const BuiltKernel& kernel) {
  constexpr std::chrono::minutes kMaxBooting{5};
  MeasureOrder order;
  order.arch = lab.source.arch;
  order.kernel = kernel;
  order.program = lab.program;
  order.workloads = WorkloadNames();
  order.limit = kMaxBooting;
  return order;
}

}  // namespace hone::kernels
