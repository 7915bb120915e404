// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hone/core/rng.h"

namespace hone::compute {

// In which pairs large outputs are compared as a whole: once in every block of pairs, at a place by
// lot. A block is at most a quarter as long as all pairs before it, but 2, and `every` at most. So
// any third of the pairs that were made has a whole look in it: what is left out for so long as to
// move the result is found.
class FullLooks {
 public:
  explicit FullLooks(std::uint64_t every) : every_(every) {}

  bool IsNext(Rng lot);  // Of the pairs, each in turn.

 private:
  const std::uint64_t every_;
  std::uint64_t pairs_ = 0;
  std::uint64_t left_ = 0;  // Of this block.
  std::uint64_t at_ = 0;    // So many are left then.
};

}  // namespace hone::compute
