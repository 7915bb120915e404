// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace hone::kconfig {

constexpr std::size_t kHugePage = 2 << 20;

// Memory for `bytes`, to be given back with std::free. If it is a huge page or more, it lies in
// huge pages, where the kernel has them: a tree is megabytes, and to get them page by page takes a
// twentieth of the time in which it is read.
void* AllocateLarge(std::size_t bytes);

template <typename T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <typename U>
  explicit LargePages(const LargePages<U>& /*other*/) {}

  T* allocate(std::size_t count) { return static_cast<T*>(AllocateLarge(count * sizeof(T))); }
  void deallocate(T* at, std::size_t /*count*/) { std::free(at); }

  friend bool operator==(const LargePages& /*a*/, const LargePages& /*b*/) { return true; }
};

// A list that grows to megabytes. Room for a huge page or more has to be reserved at once.
template <typename T>
using LargeList = std::vector<T, LargePages<T>>;

}  // namespace hone::kconfig
