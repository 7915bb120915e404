// SPDX-License-Identifier: Apache-2.0
#include "hone/app/store_path.h"

#include <cstdlib>

namespace hone::app {

std::filesystem::path StorePath(
    const std::string& asked,
    const std::function<std::string(const std::string& name)>& environment) {
  if (!asked.empty()) return asked;
  if (const std::string store = environment("HONE_STORE"); !store.empty()) return store;
  std::filesystem::path state = environment("XDG_STATE_HOME");
  if (!state.is_absolute()) {  // So the XDG specification asks.
    const std::string home = environment("HOME");
    state = std::filesystem::path(home.empty() ? "/var/lib" : home) / ".local" / "state";
  }
  return state / "hone" / "hone.db";
}

std::string FromEnvironment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

}  // namespace hone::app
