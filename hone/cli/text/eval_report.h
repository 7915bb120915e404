// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/base/json/json.h"
#include "hone/cli/console.h"

namespace hone::cli {

// A settled task, as GET /v1/tasks/{id} gives it, for a person: the outcome and why, the compiler's
// message, the first difference, the time against the reference with its interval, the phases.
std::string EvalReport(const Json& task, const Ink& ink);

}  // namespace hone::cli
