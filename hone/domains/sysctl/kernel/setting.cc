// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/setting.h"

#include <string_view>

namespace hone::sysctl {
namespace {

constexpr std::string_view kSysctlPrefix = "/proc/sys/";

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

std::string NameOfPath(const std::string& path) {
  if (!path.starts_with(kSysctlPrefix)) return path;
  return WithSeparatorsSwapped(path.substr(kSysctlPrefix.size()));
}

std::string PathOfName(const std::string& name) {
  if (name.starts_with('/')) return name;
  const std::size_t separator = name.find_first_of("./");
  const bool is_path = separator != std::string::npos && name[separator] == '/';
  return std::string(kSysctlPrefix) + (is_path ? name : WithSeparatorsSwapped(name));
}

}  // namespace hone::sysctl
