// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernels {

// What a machine needs to boot and what keeps it secure (data/kernels/protected.txt): a campaign
// leaves it alone unless it is allowed by name.
class ProtectedOptions {
 public:
  // A line of `text` is a pattern with * and a reason; ~ before the pattern: it may follow.
  explicit ProtectedOptions(std::string_view text);

  static const ProtectedOptions& BuiltIn();

  // Why the option is protected; empty if it is not.
  std::string ReasonFor(const std::string& option) const;

  // Of all of them: a pattern with *, and why.
  std::map<std::string, std::string> Reasons() const;

  // Whether it may change as a consequence of others, as what is not protected may.
  bool MayFollow(const std::string& option) const;

 private:
  struct Row {
    std::string pattern;
    std::string reason;
    bool may_follow = false;
  };
  const Row* Find(const std::string& option) const;  // The first that fits; nullptr if none does.

  std::vector<Row> rows_;
};

}  // namespace hone::kernels
