// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"

namespace hone {

struct WalkedFolder {
  Descriptor folder;  // For openat and its like; cannot be read itself.
  // The first folder on the way, or itself, in which others than root and this user can put
  // something else into the place of a name, or beside it in the last one. Empty: there is none.
  std::string weak_place;
};

// Walks from the root to the whole path of a folder, a name at a time. A link on the way is
// followed only where nobody but root and this user made it, or can change what leads to it.
// `file` is what is looked for there, for messages. kNotFound: there is no such folder.
// kUnsupported: a link that others can change.
Result<WalkedFolder> WalkToFolder(const std::string& file, const std::filesystem::path& folder);

// It belongs to root or this user, and nobody else may write to it.
bool OnlyWeMayWrite(const struct stat& facts);

}  // namespace hone
