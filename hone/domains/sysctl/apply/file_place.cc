// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/file_place.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "hone/base/errno_error.h"
#include "hone/base/folder_walk.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const FolderIdentity& identity) {
  return fmt::format("device {}, inode {}, user {}",
                     identity.device ? std::to_string(*identity.device) : "any", identity.inode,
                     identity.owner);
}

}  // namespace

Result<FilePlace> FilePlace::Open(const std::string& file) {
  const fs::path path(file);
  std::string name = path.filename();
  if (!path.is_absolute() || name.empty() || name == "." || name == "..") {
    return Error{Errc::kInvalidArgument, fmt::format("{}: not the whole path of a file", file)};
  }
  auto walked = WalkToFolder(file, path.parent_path());
  if (!walked) return walked.error();
  struct stat facts {};
  if (::fstat(walked->folder.get(), &facts) != 0) return ErrnoError(file, errno);
  const FolderIdentity identity{facts.st_dev, facts.st_ino, facts.st_uid};
  return FilePlace(file, std::move(name), std::move(walked->folder), identity);
}

Result<void> FilePlace::CheckInPlace() const {
  const auto now = Open(file_);
  return now ? now->CheckIs(identity_) : Result<void>(now.error());
}

Result<void> FilePlace::CheckIs(const FolderIdentity& expected) const {
  const bool is_device = !expected.device || expected.device == identity_.device;
  if (is_device && expected.inode == identity_.inode && expected.owner == identity_.owner) {
    return {};
  }
  return Error{Errc::kStale,
               fmt::format("{}: its folder is another one ({}) than before ({}), so nothing is "
                           "written to it; put that folder back",
                           file_, TextOf(identity_), TextOf(expected))};
}

}  // namespace hone::sysctl
