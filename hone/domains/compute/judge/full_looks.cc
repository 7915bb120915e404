// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/full_looks.h"

#include <algorithm>

namespace hone::compute {

bool FullLooks::IsNext(Rng lot) {
  constexpr std::uint64_t kShortest = 2;
  if (left_ == 0) {
    left_ = std::min(every_, std::max(kShortest, pairs_ / 4));
    at_ = lot.Below(left_);
  }
  ++pairs_;
  return --left_ == at_;
}

}  // namespace hone::compute
