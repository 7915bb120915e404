// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "hone/domains/compute/backends/backend.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {

// How many calls of this shape one publication can hold: as many as caches hold the arrays of.
std::int64_t CallsPerPublication(const Problem& problem, const Sizes& sizes);

// Room for the arrays of a problem's largest shape or case, and of a publication of the first one.
std::size_t ArenaBytesOf(const Problem& problem, Precision precision);

}  // namespace hone::compute
