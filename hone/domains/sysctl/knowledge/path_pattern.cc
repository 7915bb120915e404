// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/path_pattern.h"

#include <cstddef>

namespace hone::sysctl {

bool IsPattern(std::string_view path) { return path.find('*') != path.npos; }

std::optional<std::vector<std::string>> MatchPattern(std::string_view pattern,
                                                     std::string_view path) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) {
    if (pattern != path) return std::nullopt;
    return std::vector<std::string>{};
  }
  if (!path.starts_with(pattern.substr(0, star))) return std::nullopt;
  path.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  const bool is_deep = pattern.starts_with('*');
  if (is_deep) pattern.remove_prefix(1);
  for (std::size_t length = 0;; ++length) {
    if (auto rest = MatchPattern(pattern, path.substr(length))) {
      rest->insert(rest->begin(), std::string(path.substr(0, length)));
      return rest;
    }
    if (length == path.size() || (path[length] == '/' && !is_deep)) return std::nullopt;
  }
}

std::string FillPattern(std::string_view pattern, const std::vector<std::string>& stars) {
  std::string path;
  std::size_t used = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '*' || used == stars.size()) {
      path += pattern[i];
      continue;
    }
    path += stars[used++];
    if (pattern.substr(i + 1).starts_with('*')) ++i;
  }
  return path;
}

}  // namespace hone::sysctl
