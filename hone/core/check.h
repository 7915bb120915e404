// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hone {

// Prints the broken promise and where it was made, then aborts.
[[noreturn]] void FailCheck(const char* condition, const char* file, int line);

}  // namespace hone

// A promise of our own code. Always on; a broken one ends the process, never the data.
#define HONE_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::hone::FailCheck(#condition, __FILE__, __LINE__))
