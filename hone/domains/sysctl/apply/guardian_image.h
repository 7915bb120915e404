// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/core/result.h"

namespace hone::sysctl {

// The guardian, as HONE_EMBED_PROGRAM gives it.
Result<int> GuardianFile();

}  // namespace hone::sysctl
