// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/workflows/arena.h"

#include <algorithm>
#include <vector>

#include "hone/domains/compute/runner/placement.h"

namespace hone::compute {
namespace {

constexpr std::size_t kDefaultArena = std::size_t{4} << 30;  // Where shapes are not known: sparse.

std::vector<std::size_t> ArrayBytes(const Problem& problem, const Sizes& sizes,
                                    Precision precision) {
  std::vector<std::size_t> bytes = BytesOfArrays(problem.inputs, sizes, precision);
  const auto outputs = BytesOfArrays(problem.outputs, sizes, precision);
  bytes.insert(bytes.end(), outputs.begin(), outputs.end());
  return bytes;
}

}  // namespace

std::vector<std::size_t> BytesOfArrays(std::span<const ArraySpec> arrays, const Sizes& sizes,
                                       Precision precision) {
  std::vector<std::size_t> bytes;
  bytes.reserve(arrays.size());
  for (const ArraySpec& array : arrays) {
    const std::size_t factor =
        precision == Precision::kHigh && IsFloating(array.dtype) ? 8 / SizeOf(array.dtype) : 1;
    bytes.push_back(array.At(sizes).Bytes() * factor);
  }
  return bytes;
}

std::vector<Sizes> ShapesOf(const Problem& problem) {
  std::vector<Sizes> all = problem.shapes;
  for (const FixedCase& one : problem.cases) all.push_back(one.sizes);
  return all;
}

std::size_t ArenaBytesOf(const Problem& problem, Precision precision) {
  if (problem.outputs.empty()) return kDefaultArena;
  std::size_t max = 0;
  for (const Sizes& sizes : ShapesOf(problem)) {
    max = std::max(max, ArenaBytesFor(ArrayBytes(problem, sizes, precision)));
  }
  return max;
}

}  // namespace hone::compute
