// SPDX-License-Identifier: Apache-2.0
#include <arm_neon.h>

#include "hone/learn/kernel_levels.h"

#define HONE_LANE_BYTES 16

namespace hone::learn {
namespace {

constexpr std::size_t kVectors = 4;

inline float32x4_t MultiplyAdd(const float32x4_t& a, const float32x4_t& b, const float32x4_t& c) {
  return vfmaq_f32(c, a, b);
}
inline float64x2_t MultiplyAdd(const float64x2_t& a, const float64x2_t& b, const float64x2_t& c) {
  return vfmaq_f64(c, a, b);
}
inline float32x4_t SquareRoot(const float32x4_t& value) { return vsqrtq_f32(value); }
inline float64x2_t SquareRoot(const float64x2_t& value) { return vsqrtq_f64(value); }

}  // namespace
}  // namespace hone::learn

#include "hone/learn/kernels_body.h"

namespace hone::learn {

KernelPair NeonKernels() { return {MakeKernels<float>(), MakeKernels<double>()}; }

}  // namespace hone::learn
