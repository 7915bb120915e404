// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/core/value.h"
#include "hone/domains/kconfig/kconfig_settings.h"

namespace hone::kernels {

// A candidate as files that a kernel's own tools read.
struct KernelFiles {
  std::string fragment;      // The lines of a .config that differ from the base, consequences too.
  std::string config;        // All of it.
  std::string defconfig;     // What of it is not the tree's default, as make savedefconfig has it.
  std::string command_line;  // What to add to the kernel's.
  std::string sysctls;       // Lines for /etc/sysctl.d.
};

// For a candidate of a domain with these options; reads the tree again.
Result<KernelFiles> MakeKernelFiles(const Options& options, const Assignment& assignment,
                                    const WorkloadReader& read_workload);

}  // namespace hone::kernels
