// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace hone {

// Where what can be made again is kept: $HONE_CACHE, else $XDG_CACHE_HOME/hone, else
// $HOME/.cache/hone, else a folder of this user in /tmp.
std::filesystem::path CacheFolder();

}  // namespace hone
