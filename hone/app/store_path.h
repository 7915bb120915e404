// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace hone::app {

// Where campaigns are kept: `asked` if given, else $HONE_STORE, else hone/hone.db in
// $XDG_STATE_HOME, which is ~/.local/state by default. `environment` gives "" for what is not set.
std::filesystem::path StorePath(
    const std::string& asked,
    const std::function<std::string(const std::string& name)>& environment);

std::string FromEnvironment(const std::string& name);

}  // namespace hone::app
