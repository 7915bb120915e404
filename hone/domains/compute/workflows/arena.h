// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hone/domains/compute/backends/backend.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {

// Of a problem and of its cases.
std::vector<Sizes> ShapesOf(const Problem& problem);

// What each of them takes at these sizes; floating ones are doubles at high precision.
std::vector<std::size_t> BytesOfArrays(std::span<const ArraySpec> arrays, const Sizes& sizes,
                                       Precision precision);

// Room for the arrays of a problem's largest shape or case.
std::size_t ArenaBytesOf(const Problem& problem, Precision precision);

}  // namespace hone::compute
