// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/parameter_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {
namespace {

constexpr std::array<std::string_view, 4> kParameterRoots{"/proc/sys/", "/proc/irq/", "/sys/",
                                                          "/ethtool/"};

// ".*" would match "." and "..".
bool IsPartOfOneSpelling(std::string_view part) {
  const bool is_hidden_pattern = part.starts_with('.') && part.find('*') != part.npos;
  return !part.empty() && part != "." && part != ".." && !is_hidden_pattern;
}

bool HasOneSpelling(std::string_view path) {
  path.remove_prefix(1);
  while (true) {
    const std::size_t slash = path.find('/');
    if (!IsPartOfOneSpelling(path.substr(0, slash))) return false;
    if (slash == path.npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool HasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char letter) {
    return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
  });
}

}  // namespace

Result<ParameterPath> ParameterPath::Of(const std::string& name) {
  if (HasControlCharacter(name)) {
    return Error{Errc::kInvalidArgument, "a parameter's name has no control characters"};
  }
  std::string path = PathOfName(name);
  const bool is_below = std::any_of(kParameterRoots.begin(), kParameterRoots.end(),
                                    [&](std::string_view root) { return path.starts_with(root); });
  if (!is_below) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: a parameter is a plain path below /proc/sys or /sys", name)};
  }
  if (!HasOneSpelling(path)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: a parameter is a plain path below /proc/sys or /sys, and has one "
                             "spelling; write it without empty parts, . and ..",
                             name)};
  }
  return ParameterPath(std::move(path));
}

}  // namespace hone::sysctl
