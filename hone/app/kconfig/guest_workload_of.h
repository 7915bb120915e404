// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/result.h"
#include "hone/domains/kconfig/guest/guest_workload.h"
#include "hone/domains/sysctl/workload/workload_spec.h"

namespace hone::app {

// A workload, by the name of a preset or of a file, as steps in a guest: setup, service, what comes
// before a run, benchmark. Its parameters, tripwires and limits of time are for the host and not
// taken. An Error says what of it cannot be done in a guest.
Result<kernels::GuestWorkload> ReadGuestWorkload(const std::string& name);

Result<kernels::GuestWorkload> GuestWorkloadOf(const sysctl::WorkloadSpec& spec);

}  // namespace hone::app
