// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>

#include "hone/base/descriptor.h"

namespace hone::compute {

// For how long a thread could have run but waited for a processor that others had, as the kernel
// counts it. Nobody makes others slow by that: who waits by his own will does not count.
class RunDelay {
 public:
  static RunDelay OfProcess(pid_t pid);  // Of its first thread.
  static RunDelay OfThisThread();

  std::chrono::nanoseconds Read() const;  // 0 where the kernel does not say.

 private:
  explicit RunDelay(const char* path);

  Descriptor file_;
};

}  // namespace hone::compute
