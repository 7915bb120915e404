// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

namespace hone::compute {

// While it lives, the calling thread runs on this processor; anywhere if it is negative. Where that
// is not allowed, nothing happens.
class PinnedThread {
 public:
  explicit PinnedThread(int cpu) {
    if (cpu < 0 || ::sched_getaffinity(0, sizeof(before_), &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(cpu), &one);
    is_pinned_ = ::sched_setaffinity(0, sizeof(one), &one) == 0;
  }
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;
  ~PinnedThread() {
    if (is_pinned_) ::sched_setaffinity(0, sizeof(before_), &before_);
  }

 private:
  cpu_set_t before_{};
  bool is_pinned_ = false;
};

}  // namespace hone::compute
