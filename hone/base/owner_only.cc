// SPDX-License-Identifier: Apache-2.0
#include "hone/base/owner_only.h"

#include <sys/stat.h>
#include <unistd.h>

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

}  // namespace hone
