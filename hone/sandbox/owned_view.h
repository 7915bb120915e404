// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "hone/base/descriptor.h"

namespace hone {

// For SandboxStyle::trees: a copy of the folder, wherever it lies, in which what belongs to its
// owner belongs to the user of our sandboxes, who could not read it otherwise. Only root can make
// one, of file systems with idmapped mounts (not of an overlay), and needs none of what is its own
// anyway; otherwise it is not open.
Descriptor CopyOwnedView(const std::filesystem::path& folder);

}  // namespace hone
