// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/compute/backends/backend.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {

// An array, whatever its type is: 32 bits of an integer fit too.
using Numbers = std::vector<double>;

// What a problem for GPUs of data/problems gives, by code on the processor that shares nothing with
// its reference. kNotFound: nobody has written that down for a problem of this name.
Result<std::vector<Numbers>> KnownAnswer(const std::string& problem, const Sizes& sizes,
                                         const std::vector<Numbers>& inputs);

// How a reference did, over all shapes from `first_shape` on and all distributions.
struct ReferenceCheck {
  std::string fault;         // Where it gave something else; empty: nowhere.
  std::size_t calls = 0;     // In each precision.
  double largest_error = 0;  // Of its declared precision, over the largest number of that output.
};

// Runs a problem's reference in both precisions and compares what comes out with what is known. In
// the higher one hardly anything may differ, and whole numbers never.
Result<ReferenceCheck> CheckReference(Backend& backend, const Problem& problem,
                                      std::size_t first_shape);

}  // namespace hone::compute
