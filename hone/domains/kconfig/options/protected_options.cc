// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/options/protected_options.h"

#include <fnmatch.h>

#include <sstream>

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
    rows_.emplace_back(std::move(pattern), std::move(reason));
  }
}

const ProtectedOptions& ProtectedOptions::BuiltIn() {
  static const ProtectedOptions options(KernelText("data/kernels/protected.txt"));
  return options;
}

std::string ProtectedOptions::ReasonFor(const std::string& option) const {
  for (const auto& [pattern, reason] : rows_) {
    if (::fnmatch(pattern.c_str(), option.c_str(), 0) == 0) return reason;
  }
  return "";
}

}  // namespace hone::kernels
