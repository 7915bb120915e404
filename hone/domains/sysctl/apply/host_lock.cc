// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/host_lock.h"

#include <utility>

namespace hone::sysctl {

Result<std::optional<FileLock>> LockHost(const std::filesystem::path& file) {
  auto lock = FileLock::Take(file);
  if (lock) return std::optional(std::move(*lock));
  if (lock.error().code == Errc::kInvalidArgument) return lock.error();
  if (lock.error().code != Errc::kStale) return std::optional<FileLock>();
  return Error{Errc::kStale, "kernel parameters: another tuner changes them now (" +
                                 lock.error().message + "); wait until it has ended, or stop it"};
}

}  // namespace hone::sysctl
