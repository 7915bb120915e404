// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "hone/domains/domain.h"
#include "hone/domains/kconfig/kconfig_settings.h"
#include "hone/domains/kconfig/kernel_lab.h"

namespace hone {

namespace kernels {
inline constexpr char kDomainName[] = "kconfig";

using LabMaker =
    std::function<Result<KernelLab>(const std::filesystem::path& tree, std::string_view arch)>;
}  // namespace kernels

// Linux's build options: candidates are made whole by the solver, built by kbuild, booted in QEMU
// and measured there. Tests bring a lab of their own.
DomainEntry KconfigDomainEntry(const kernels::WorkloadReader& read_workload,
                               const kernels::LabMaker& make_lab = kernels::OpenKernelLab);

}  // namespace hone
