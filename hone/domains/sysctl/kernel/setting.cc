// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/setting.h"

#include <string_view>

#include "hone/domains/sysctl/kernel/control_groups.h"

namespace hone::sysctl {
namespace {

constexpr std::string_view kSysctlPrefix = "/proc/sys/";
constexpr std::string_view kFilePrefix = "file:";

// An interface may have a dot in its name (eth0.1): as sysctl(8) does, dots and slashes swap.
std::string WithSeparatorsSwapped(std::string text) {
  for (char& letter : text) {
    if (letter == '.') {
      letter = '/';
    } else if (letter == '/') {
      letter = '.';
    }
  }
  return text;
}

}  // namespace

bool IsFilePath(std::string_view path) {
  return path.starts_with(kFilePrefix) && path.substr(kFilePrefix.size()).starts_with('/');
}

std::string PathOfFile(const std::string& file) { return std::string(kFilePrefix) + file; }

std::string FileOfPath(const std::string& path) { return path.substr(kFilePrefix.size()); }

bool IsServiceKey(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == name.npos || colon == 0 || colon + 1 == name.size()) return false;
  return name.substr(0, colon).find_first_of("./*") == name.npos && name[colon + 1] != '/' &&
         !IsGroupName(name);
}

std::string NameOfPath(const std::string& path) {
  if (!path.starts_with(kSysctlPrefix)) return path;
  return WithSeparatorsSwapped(path.substr(kSysctlPrefix.size()));
}

std::string PathOfName(const std::string& name) {
  if (name.starts_with('/') || IsFilePath(name) || IsServiceKey(name)) return name;
  const std::size_t separator = name.find_first_of("./");
  const bool is_path = separator != std::string::npos && name[separator] == '/';
  return std::string(kSysctlPrefix) + (is_path ? name : WithSeparatorsSwapped(name));
}

}  // namespace hone::sysctl
