// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

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

}  // namespace hone::compute
