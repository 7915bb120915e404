// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/domain.h"

namespace hone {

namespace sysctl {

class KernelFiles;

inline constexpr char kDomainName[] = "sysctl";

// Puts back what a killed tuner left in force on this host, which must not be taken for what is in
// force now: before anything here is read for a plan. The domain does so when it is made, unless
// for a rehearsal. Says what was put back, also to who listens to announcements. Only for root;
// kStale: a tuner is at work.
Result<std::vector<std::string>> PutBackAfterCrash(KernelFiles& files);

}  // namespace sysctl

// A running Linux kernel's parameters, tuned for a workload: on the host under a journal and a
// guardian (domains/sysctl/apply/), or in private network namespaces.
DomainEntry SysctlDomainEntry();

}  // namespace hone
