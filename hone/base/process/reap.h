// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hone {

// Reaps every child that has ended, of which `deaths` (a signalfd) tells; true once `program` is
// among them. For the small programs that stand beside a command: needs no library.
inline bool HasEnded(int deaths, pid_t program, int& wait_status) {
  signalfd_siginfo ignored;
  while (read(deaths, &ignored, sizeof ignored) > 0) {
  }
  bool has_ended = false;
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0;) {
    if (pid != program) continue;
    has_ended = true;
    wait_status = status;
  }
  return has_ended;
}

}  // namespace hone
