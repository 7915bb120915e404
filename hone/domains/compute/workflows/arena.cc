// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/workflows/arena.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "hone/domains/compute/runner/call_block.h"
#include "hone/domains/compute/runner/placement.h"

namespace hone::compute {
namespace {

constexpr std::size_t kDefaultArena = std::size_t{4} << 30;  // Where shapes are not known: sparse.
constexpr std::size_t kPublicationBytes = 2 << 20;
constexpr std::size_t kMaxCalls = 16;

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

std::int64_t CallsPerPublication(const Problem& problem, const Sizes& sizes) {
  if (problem.outputs.empty()) return 1;
  const auto bytes = ArrayBytes(problem, sizes, Precision::kDeclared);
  const std::size_t all = std::reduce(bytes.begin(), bytes.end(), std::size_t{1});
  const std::size_t fitting = std::min(kPublicationBytes / all, kMaxTensors / bytes.size());
  return static_cast<std::int64_t>(std::clamp(fitting, std::size_t{1}, kMaxCalls));
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
  if (problem.shapes.empty() || precision == Precision::kHigh) return max;
  std::vector<std::size_t> published;
  for (std::int64_t i = CallsPerPublication(problem, problem.shapes.front()); i > 0; --i) {
    const auto one = ArrayBytes(problem, problem.shapes.front(), precision);
    published.insert(published.end(), one.begin(), one.end());
  }
  return std::max(max, ArenaBytesFor(published));
}

}  // namespace hone::compute
