// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/large_memory.h"

#include <sys/mman.h>

#include <new>

namespace hone::kconfig {

void* AllocateLarge(std::size_t bytes) {
  const bool is_large = bytes >= kHugePage;
  const std::size_t alignment = is_large ? kHugePage : alignof(std::max_align_t);
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  if (is_large) ::madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

}  // namespace hone::kconfig
