// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "hone/learn/kernel_levels.h"

#define HONE_LANE_BYTES 64

namespace hone::learn {
namespace {

constexpr std::size_t kVectors = 4;

inline __m512 MultiplyAdd(const __m512& a, const __m512& b, const __m512& c) {
  return _mm512_fmadd_ps(a, b, c);
}
inline __m512d MultiplyAdd(const __m512d& a, const __m512d& b, const __m512d& c) {
  return _mm512_fmadd_pd(a, b, c);
}
inline __m512 SquareRoot(const __m512& value) { return _mm512_sqrt_ps(value); }
inline __m512d SquareRoot(const __m512d& value) { return _mm512_sqrt_pd(value); }

}  // namespace
}  // namespace hone::learn

#include "hone/learn/kernels_body.h"

namespace hone::learn {

KernelPair Avx512Kernels() { return {MakeKernels<float>(), MakeKernels<double>()}; }

}  // namespace hone::learn
