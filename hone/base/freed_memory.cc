// SPDX-License-Identifier: Apache-2.0
#include "hone/base/freed_memory.h"

#include <malloc.h>

#include <limits>

namespace hone {

void KeepFreedMemory() {
  constexpr int kLargestThreshold = 32 << 20;  // That the C library takes.
  ::mallopt(M_MMAP_THRESHOLD, kLargestThreshold);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  ::mallopt(M_ARENA_MAX, 1);  // Those of threads grow to 64 MiB only.
}

}  // namespace hone
