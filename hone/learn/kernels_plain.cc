// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/kernel_levels.h"

#define HONE_LANE_BYTES 16

namespace hone::learn {
namespace {

constexpr std::size_t kVectors = 2;

template <typename V>
inline V MultiplyAdd(const V& a, const V& b, const V& c) {
  return a * b + c;
}

template <typename V>
inline V SquareRoot(const V& value) {
  V root = value;
  for (std::size_t i = 0; i < sizeof(V) / sizeof(value[0]); ++i) {
    root[i] =
        sizeof(value[0]) == sizeof(float)
            ? static_cast<decltype(0 * value[0])>(__builtin_sqrtf(static_cast<float>(value[i])))
            : static_cast<decltype(0 * value[0])>(__builtin_sqrt(value[i]));
  }
  return root;
}

}  // namespace
}  // namespace hone::learn

#include "hone/learn/kernels_body.h"

namespace hone::learn {

KernelPair PlainKernels() { return {MakeKernels<float>(), MakeKernels<double>()}; }

}  // namespace hone::learn
