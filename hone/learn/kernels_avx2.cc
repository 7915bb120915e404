// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "hone/learn/kernel_levels.h"

#define HONE_LANE_BYTES 32

namespace hone::learn {
namespace {

constexpr std::size_t kVectors = 2;

inline __m256 MultiplyAdd(const __m256& a, const __m256& b, const __m256& c) {
  return _mm256_fmadd_ps(a, b, c);
}
inline __m256d MultiplyAdd(const __m256d& a, const __m256d& b, const __m256d& c) {
  return _mm256_fmadd_pd(a, b, c);
}
inline __m256 SquareRoot(const __m256& value) { return _mm256_sqrt_ps(value); }
inline __m256d SquareRoot(const __m256d& value) { return _mm256_sqrt_pd(value); }

}  // namespace
}  // namespace hone::learn

#include "hone/learn/kernels_body.h"

namespace hone::learn {

KernelPair Avx2Kernels() { return {MakeKernels<float>(), MakeKernels<double>()}; }

}  // namespace hone::learn
