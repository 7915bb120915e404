// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/core/result.h"
#include "hone/domains/domain.h"
#include "hone/domains/sysctl/workload/workload_spec.h"

namespace hone::sysctl {

// One real run of the workload, from setup to teardown, where its campaign would run it, with no
// parameter changed. Blocks; the spec's own limits hold. An Error: it cannot be tried here.
Result<RunResult> RunUnchanged(const WorkloadSpec& spec);

}  // namespace hone::sysctl
