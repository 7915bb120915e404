// SPDX-License-Identifier: Apache-2.0
#include "hone/base/owner_only.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "hone/base/errno_error.h"
#include "hone/base/file.h"

namespace hone {

void KeepForOwner(const std::filesystem::path& path) {
  struct stat facts {};
  const bool is_ours =
      ::lstat(path.c_str(), &facts) == 0 && facts.st_uid == ::geteuid() && !S_ISLNK(facts.st_mode);
  if (is_ours && (facts.st_mode & 077U) != 0) ::chmod(path.c_str(), facts.st_mode & 07700U);
}

Result<void> MakePrivateFolder(const std::filesystem::path& path) {
  if (auto made = MakeFolder(path); !made) return made;
  KeepForOwner(path);
  return {};
}

Result<void> CheckOnlyWeWrite(const std::filesystem::path& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return ErrnoError(path.native(), errno);
  const auto refused = [&](const std::string& why) {
    return Error{
        Errc::kCorrupt,
        fmt::format("{}: {}, so that what it says may not be ours. Look at it; then make it "
                    "user {}'s own with mode {}, or remove it",
                    path.native(), why, ::geteuid(), S_ISDIR(facts.st_mode) ? "0700" : "0600")};
  };
  if (S_ISLNK(facts.st_mode)) return refused("it is a link");
  if (facts.st_uid != ::geteuid()) {
    return refused(fmt::format("it belongs to user {}", facts.st_uid));
  }
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) return refused("others may write to it");
  return {};
}

}  // namespace hone
