// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "hone/core/result.h"

namespace hone {

// What a failed system call means for the caller: "runs/hone.db: the disk is full: free some space,
// then run the same command again". `what` names the thing; `number` is an errno.
Error ErrnoError(std::string_view what, int number);

}  // namespace hone
