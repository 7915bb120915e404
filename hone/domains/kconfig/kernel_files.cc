// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/kernel_files.h"

#include <fmt/format.h>

#include <utility>

#include "hone/base/cache_folder.h"
#include "hone/kconfig/files/config_file.h"

namespace hone::kernels {

Result<KernelFiles> MakeKernelFiles(const Options& options, const Assignment& assignment,
                                    const WorkloadReader& read_workload) {
  auto settings = ReadKconfigSettings(options);
  if (!settings) return settings.error();
  if (auto read = ReadFiles(*settings, read_workload); !read) return read.error();
  auto source = FindKernelSource(settings->tree, settings->arch);
  if (!source) return source.error();
  auto arch = OnMachine(source->arch, settings->machine);
  if (!arch) return arch.error();
  source->arch = std::move(*arch);
  settings->request.cache = CacheFolder();
  const auto kernel = KernelOptions::Load(*source, settings->request);
  if (!kernel) return kernel.error();
  CompleteConfig complete = kernel->Complete(assignment);
  if (complete.config.empty()) return Error{Errc::kInvalidArgument, complete.reason};
  KernelFiles files;
  kconfig::Configuration whole(kernel->base());
  kconfig::LoadConfig(whole, complete.config, {});
  files.defconfig = kconfig::WriteMinimalConfig(whole);
  files.fragment = std::move(complete.fragment);
  files.config = std::move(complete.config);
  files.command_line = kernel->options().CommandLineFor(assignment);
  for (const auto& [name, value] : kernel->options().SysctlsFor(assignment)) {
    files.sysctls += fmt::format("{} = {}\n", name, value);
  }
  return files;
}

}  // namespace hone::kernels
