// SPDX-License-Identifier: Apache-2.0
#include "hone/base/open_beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace hone {

int OpenBeneath(int folder, const char* name, int flags) {
  constexpr int kTries = 16;  // EAGAIN: something was renamed meanwhile.
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long file = -1;
  for (int i = 0; i < kTries; ++i) {
    file = syscall(SYS_openat2, folder, name, &how, sizeof how);
    if (file >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  return static_cast<int>(file);
}

}  // namespace hone
