// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/space.h"

namespace hone::sysctl {

// What may be tried, as people read it: "10 … 500, log", "always | madvise | never", "0 | 1",
// "4096 4096…65536 16384…4194304", with special values behind: "or 0 (off)".
std::string RangeText(const Parameter& parameter);

}  // namespace hone::sysctl
