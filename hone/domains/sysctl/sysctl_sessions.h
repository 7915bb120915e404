// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/core/result.h"
#include "hone/domains/domain.h"
#include "hone/domains/sysctl/sysctl_world.h"

namespace hone::sysctl {

// On the host itself, under the one hold that there can be. The world outlives the session.
Result<std::unique_ptr<Session>> OpenHostSession(const World& world);

// In private network namespaces: two slots, so that two runs can be made side by side.
Result<std::unique_ptr<Session>> OpenNamespaceSession(const World& world);

}  // namespace hone::sysctl
