// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/services/service_tunables.h"

namespace hone::sysctl {

// The kernel's parameters, and to be read beside them keys of services, in the unit of their
// ranges: "nginx:worker_connections". Keys are written by files (AsFileSettings), not one by one.
std::unique_ptr<KernelFiles> MakeKeysBeside(std::unique_ptr<KernelFiles> kernel, Services services);

}  // namespace hone::sysctl
