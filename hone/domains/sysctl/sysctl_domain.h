// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/domains/domain.h"

namespace hone {

namespace sysctl {
inline constexpr char kDomainName[] = "sysctl";
}  // namespace sysctl

// A running Linux kernel's parameters, tuned for a workload: on the host under a journal and a
// guardian (domains/sysctl/apply/), or in private network namespaces.
DomainEntry SysctlDomainEntry();

}  // namespace hone
