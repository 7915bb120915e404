// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/agent/kernel/kernel_attempt.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"

namespace hone::agent {

// An attempt as a line of the log has it, without the line's kind.
Json ToJson(const KernelAttempt& attempt);
Result<KernelAttempt> ParseKernelAttempt(const Json& json, const std::string& what);

}  // namespace hone::agent
