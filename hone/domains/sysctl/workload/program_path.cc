// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/program_path.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;

bool IsProgram(const fs::path& path) {
  std::error_code ignored;
  return ::access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path, ignored);
}

}  // namespace

std::string SearchPath() {
  const char* path = std::getenv("PATH");
  const std::string ours = path != nullptr && *path != '\0' ? path : "/usr/local/bin:/usr/bin:/bin";
  return ours + ":/usr/local/sbin:/usr/sbin:/sbin";
}

std::optional<std::string> FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return IsProgram(name) ? std::optional(name) : std::nullopt;
  }
  const std::string all = SearchPath();
  std::string_view places = all;
  while (true) {
    const std::size_t end = std::min(places.find(':'), places.size());
    const fs::path found = fs::path(end == 0 ? "." : places.substr(0, end)) / name;
    if (IsProgram(found)) return found.native();
    if (end == places.size()) return std::nullopt;
    places.remove_prefix(end + 1);
  }
}

}  // namespace hone::sysctl
