// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"

namespace hone::sysctl {

// Which folder it is, whatever its path leads to later.
struct FolderIdentity {
  std::optional<std::uint64_t> device;  // Nothing after a restart, which numbers devices anew.
  std::uint64_t inode = 0;
  std::uint32_t owner = 0;

  bool operator==(const FolderIdentity&) const = default;
};

// A file by its folder, which is open, and its name in there. The folder may belong to somebody who
// is not trusted, and who may put a link in its place at any moment: who works through the
// descriptor never leaves it.
class FilePlace {
 public:
  // Walks from the root to the folder. A link on the way is followed only where nobody but root and
  // this user made it, or can change what leads to it. Whether the file is there is not looked at.
  // kNotFound: there is no such folder. kUnsupported: a link that others can change.
  static Result<FilePlace> Open(const std::string& file);

  // kStale: the path leads to another folder by now, or to none.
  Result<void> CheckInPlace() const;

  // kStale: the folder is another one than `expected`.
  Result<void> CheckIs(const FolderIdentity& expected) const;

  const std::string& file() const { return file_; }  // Its whole path.
  const std::string& name() const { return name_; }
  int folder() const { return folder_.get(); }  // For openat and its like; cannot be read itself.
  const FolderIdentity& identity() const { return identity_; }

 private:
  FilePlace(std::string file, std::string name, Descriptor folder, FolderIdentity identity)
      : file_(std::move(file)),
        name_(std::move(name)),
        folder_(std::move(folder)),
        identity_(identity) {}

  std::string file_;
  std::string name_;
  Descriptor folder_;
  FolderIdentity identity_;
};

}  // namespace hone::sysctl
