// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::sysctl {

// A regular expression of RE2's syntax, in which ^ and $ stand for the ends of a line. Matching
// takes time in proportion to the text, whatever the expression: a spec may come from anyone.
class Pattern {
 public:
  // kInvalidArgument: it does not compile, or it has no group to take. The group is the only one,
  // or the one that is named `group`.
  static Result<Pattern> Make(const std::string& expression, const std::string& group);

  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  // What the group matched, for each place where the expression matches.
  std::vector<std::string> FindAll(std::string_view text) const;

 private:
  struct Compiled;
  explicit Pattern(std::unique_ptr<Compiled> compiled);

  std::unique_ptr<Compiled> compiled_;
};

}  // namespace hone::sysctl
