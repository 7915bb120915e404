// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "hone/base/descriptor.h"

namespace hone::compute {

// Whether anything of a process runs, or could run, at this moment. The kernel counts processor
// time exactly only for what sleeps: for a thread that is running it may be some milliseconds
// behind.
class ThreadStates {
 public:
  explicit ThreadStates(pid_t process);

  bool AllSleep() const;  // True for a process that is gone.

 private:
  const pid_t process_;
  Descriptor stat_;
};

}  // namespace hone::compute
