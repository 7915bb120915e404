// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace hone::compute {

// Puts a process that is about to be measured before the others on its processor: by its nice
// value, its time slice, and the weight of its session's group, if it has one of its own. On a busy
// machine a woken thread otherwise waits for milliseconds. It stays an ordinary process: the kernel
// counts the time of others (SCHED_FIFO) only when they leave their processor, which is too late
// for the judge. Where we are not allowed to, nothing happens.
void PutFirst(pid_t process);

// While it lives, the calling thread goes before everything that is ordinary. For the judge, who
// must see an answer at once; the kernel leaves the others a twentieth of the time.
class UrgentThread {
 public:
  UrgentThread();
  UrgentThread(const UrgentThread&) = delete;
  UrgentThread& operator=(const UrgentThread&) = delete;
  ~UrgentThread();
};

}  // namespace hone::compute
