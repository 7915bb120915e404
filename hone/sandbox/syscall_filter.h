// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/result.h"

namespace hone {

// The allow-list of system calls, as the program for the kernel (struct sock_filter, 8 bytes each),
// made once. What is not on it does not exist (ENOSYS), so that libraries take another way; what is
// plainly hostile is refused (EPERM). `is_pinned`: the program may not choose its CPUs itself.
Result<std::string> SyscallFilter(bool is_pinned);

}  // namespace hone
