// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/core/result.h"
#include "hone/domains/domain.h"
#include "hone/domains/sysctl/network/network_pair.h"
#include "hone/domains/sysctl/sysctl_context.h"
#include "hone/domains/sysctl/workload/workload_runner.h"

namespace hone::sysctl {

// On the host itself, under the one transaction that there can be. The context outlives the
// session.
Result<std::unique_ptr<Session>> OpenHostSession(const SysctlContext& context);

// In private network namespaces: two slots, so that two runs can be made side by side.
Result<std::unique_ptr<Session>> OpenNamespaceSession(const SysctlContext& context);

// Where the programs of a workload run that has this pair of namespaces; lanes are side by side.
WorkloadStage StageIn(const NetworkPair& network, int lane);

}  // namespace hone::sysctl
