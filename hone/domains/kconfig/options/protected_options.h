// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone::kernels {

// What a machine needs to boot and what keeps it secure (data/kernels/protected.txt): a campaign
// leaves it alone unless it is allowed by name.
class ProtectedOptions {
 public:
  // A line of `text` is a pattern with * and a reason.
  explicit ProtectedOptions(std::string_view text);

  static const ProtectedOptions& BuiltIn();

  // Why the option is protected; empty if it is not.
  std::string ReasonFor(const std::string& option) const;

 private:
  std::vector<std::pair<std::string, std::string>> rows_;
};

}  // namespace hone::kernels
