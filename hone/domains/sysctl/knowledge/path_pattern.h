// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Paths with *, which stands for any letters but a slash: "/sys/block/*/queue/scheduler".
namespace hone::sysctl {

bool IsPattern(std::string_view path);

// What each * stands for, if the path is of this pattern: {"vda"}.
std::optional<std::vector<std::string>> MatchPattern(std::string_view pattern,
                                                     std::string_view path);

// Puts these in place of the first *s: a sibling's path on the same device.
std::string FillPattern(std::string_view pattern, const std::vector<std::string>& stars);

}  // namespace hone::sysctl
