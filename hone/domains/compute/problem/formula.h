// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::compute {

// The sizes of one shape of a problem: {"n": 4096}.
using Sizes = std::map<std::string, std::int64_t>;

// Whole-number arithmetic over a problem's sizes: "2*m*n*k", "4*(n+2)", "n/2". Division rounds
// down. Held in reverse Polish notation. Whoever wrote it may want harm: it is bounded.
class Formula {
 public:
  Formula() = default;

  // Names must be among `names`; an error says what is wrong and where.
  static Result<Formula> Parse(std::string_view text, const std::vector<std::string>& names);

  // Every name has a value in `sizes`. Division by zero gives 0, and what does not fit in 64 bits
  // the largest number, whatever its sign.
  std::int64_t At(const Sizes& sizes) const;

  const std::string& text() const { return text_; }

 private:
  struct Step {
    char kind = 'n';          // 'n' a number, 'v' a name, or an operator.
    std::int64_t number = 0;  // Of a name: where it stands in `names_`.
  };
  friend class FormulaParser;

  std::string text_;
  std::vector<std::string> names_;  // That occur in it.
  std::vector<Step> steps_;
};

}  // namespace hone::compute
