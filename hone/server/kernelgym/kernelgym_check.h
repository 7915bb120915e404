// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/base/json/json.h"
#include "hone/server/kernelgym/kernelgym_request.h"

namespace hone::server {

// What can be seen of a request without running anything, as /debug/validate answers it: "valid",
// "errors", and what they are about. KernelGYM refuses on these grounds with a verdict, not with a
// 400.
Json KernelGymValidation(const KernelGymRequest& request);

// Its errors in one line; empty: it can be judged.
std::string WhyNotJudged(const KernelGymRequest& request);

}  // namespace hone::server
