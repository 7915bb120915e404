// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "hone/core/rng.h"

namespace hone::learn {

// A matrix with orthonormal rows or columns, whichever are fewer, times `gain`; row-major (Saxe,
// McClelland and Ganguli, "Exact solutions to the nonlinear dynamics of learning", 2013).
std::vector<double> OrthogonalMatrix(std::size_t rows, std::size_t columns, double gain, Rng rng);

// Uniform in ±1/sqrt(inputs), PyTorch's default for weights and biases.
std::vector<double> UniformWeights(std::size_t count, std::size_t inputs, Rng rng);

}  // namespace hone::learn
