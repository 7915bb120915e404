// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hone/core/rng.h"
#include "hone/domains/compute/tensor.h"

namespace hone::compute {

// Inputs of the same types and shapes as some that are to be kept from a kernel until it is timed,
// for the calls before. Every value is one that stands in the same tensor, since others may mean
// nothing to it (indices, codes, zeros of a mask); but only an eighth of the different ones is ever
// used. So what was computed from any number of these says nothing of the sum, the order, the
// largest or the histogram of those that are kept.
class OtherValues {
 public:
  OtherValues(const Tensors& kept, const Rng& rng);

  Tensors Draw(const Rng& rng) const;

 private:
  struct Source {
    TensorSpec spec;
    std::vector<std::uint64_t> values;  // As bytes; each as often as it was met.
  };

  std::vector<Source> sources_;
};

}  // namespace hone::compute
