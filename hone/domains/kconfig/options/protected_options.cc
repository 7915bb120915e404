// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/options/protected_options.h"

#include <fnmatch.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "hone/domains/kconfig/options/kernel_texts.h"

namespace hone::kernels {

ProtectedOptions::ProtectedOptions(std::string_view text) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string pattern;
    if (!(words >> pattern) || pattern.starts_with('#')) continue;
    std::string reason;
    std::getline(words >> std::ws, reason);
    const bool may_follow = pattern.starts_with('~');
    rows_.push_back({pattern.substr(may_follow ? 1 : 0), std::move(reason), may_follow});
  }
}

const ProtectedOptions& ProtectedOptions::BuiltIn() {
  static const ProtectedOptions options(KernelText("data/kernels/protected.txt"));
  return options;
}

const ProtectedOptions::Row* ProtectedOptions::Find(const std::string& option) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) {
    return ::fnmatch(row.pattern.c_str(), option.c_str(), 0) == 0;
  });
  return found == rows_.end() ? nullptr : &*found;
}

std::string ProtectedOptions::ReasonFor(const std::string& option) const {
  const Row* row = Find(option);
  return row == nullptr ? "" : row->reason;
}

std::map<std::string, std::string> ProtectedOptions::Reasons() const {
  std::map<std::string, std::string> reasons;
  for (const Row& row : rows_) reasons.emplace(row.pattern, row.reason);
  return reasons;
}

bool ProtectedOptions::MayFollow(const std::string& option) const {
  const Row* row = Find(option);
  return row == nullptr || row->may_follow;
}

}  // namespace hone::kernels
