// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/domains/domain.h"
#include "hone/domains/sysctl/sysctl_context.h"

namespace hone::sysctl {

// A session that touches and runs nothing: a made-up smooth surface over the real parameters, with
// noise of two per cent, so that a whole campaign can be walked through before anything is real.
std::unique_ptr<Session> MakeRehearsal(const SysctlContext& context);

}  // namespace hone::sysctl
