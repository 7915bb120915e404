// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hone/core/rng.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/domains/compute/tensor.h"

namespace hone::compute {

// One tensor with values of this distribution. Equal for equal generators, on every machine.
Tensor DrawTensor(const ArraySpec& spec, const Sizes& sizes, Distribution distribution, Rng rng);

// All inputs of the problem; input i takes the `variant`-th of its distributions, cyclically.
Tensors DrawInputs(const Problem& problem, const Sizes& sizes, std::size_t variant, const Rng& rng);

// How many different combinations of distributions there are to try.
std::size_t VariantsOf(const Problem& problem);

// Fresh inputs at the price of a copy, for timed calls: every draw takes a window at a random place
// of a longer array of drawn values.
class InputPool {
 public:
  InputPool(const Problem& problem, const Sizes& sizes, const Rng& rng);

  // Writes over `inputs`, which keep their memory.
  void Draw(Rng& rng, Tensors& inputs) const;
  Tensors Draw(Rng& rng) const;

 private:
  std::vector<TensorSpec> specs_;
  std::vector<std::vector<std::byte>> pools_;
};

}  // namespace hone::compute
