// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/find_program.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace hone {

std::string SearchPath() {
  const char* path = std::getenv("PATH");
  return path != nullptr && *path != '\0' ? path : "/usr/local/bin:/usr/bin:/bin";
}

std::optional<std::string> FindProgram(const std::string& name, std::string_view places) {
  while (true) {
    const std::size_t end = std::min(places.find(':'), places.size());
    const std::string place = end == 0 ? "." : std::string(places.substr(0, end));
    std::error_code ignored;
    const auto found = std::filesystem::absolute(place, ignored) / name;
    if (::access(found.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(found, ignored)) {
      return found.native();
    }
    if (end == places.size()) return std::nullopt;
    places.remove_prefix(end + 1);
  }
}

}  // namespace hone
