// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hone/learn/kernels.h"

// The bodies of the kernels, for a file that was compiled for one level. Such a file includes
// nothing else: an inline function of the standard library compiled here could be chosen by the
// linker for the whole program, and fail on an older processor. All of this has internal linkage.
namespace hone::learn {
namespace {

template <typename T>
struct LanesOf {
  typedef T Type __attribute__((vector_size(HONE_LANE_BYTES)));
  // In memory, where it lies as numbers do. GCC copies 16 bytes by memcpy through other registers,
  // and then keeps sums there too.
  typedef T Stored __attribute__((vector_size(HONE_LANE_BYTES), aligned(alignof(T)), may_alias));
};
template <typename T>
using Lanes = typename LanesOf<T>::Type;

template <typename T>
constexpr std::size_t kLanes = HONE_LANE_BYTES / sizeof(T);

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == sizeof(std::int32_t), std::int32_t, std::int64_t>;

template <typename T>
inline Lanes<T> Load(const T* from) {
  return *reinterpret_cast<const typename LanesOf<T>::Stored*>(from);
}

template <typename T>
inline void Save(const Lanes<T>& lanes, T* to) {
  *reinterpret_cast<typename LanesOf<T>::Stored*>(to) = lanes;
}

// The same bits as another type.
template <typename To, typename From>
inline To Recast(const From& from) {
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

template <typename T>
inline Lanes<T> All(T value) {
  return value - Lanes<T>{};
}

// A block of C: `Rows` rows and `Vectors` vectors of columns, kept in registers over the depth.
template <typename T, std::size_t Rows, std::size_t Vectors>
inline void MultiplyBlock(const Product<T>& p, std::size_t row, std::size_t column) {
  Lanes<T> sums[Rows][Vectors];
  for (std::size_t v = 0; v < Vectors; ++v) {
    const Lanes<T> start = p.bias != nullptr ? Load(p.bias + column + v * kLanes<T>) : Lanes<T>{};
    for (std::size_t r = 0; r < Rows; ++r) sums[r][v] = start;
  }
  const T* a = p.a + row * p.a_row;
  const T* b = p.b + column;
  for (std::size_t k = 0; k < p.depth; ++k) {
    Lanes<T> column_part[Vectors];
    for (std::size_t v = 0; v < Vectors; ++v) column_part[v] = Load(b + v * kLanes<T>);
    for (std::size_t r = 0; r < Rows; ++r) {
      const Lanes<T> factor = All(a[r * p.a_row]);
      for (std::size_t v = 0; v < Vectors; ++v) {
        sums[r][v] = MultiplyAdd(factor, column_part[v], sums[r][v]);
      }
    }
    a += p.a_depth;
    b += p.b_row;
  }
  T* c = p.c + row * p.c_row + column;
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t v = 0; v < Vectors; ++v) Save<T>(sums[r][v], c + r * p.c_row + v * kLanes<T>);
  }
}

// Enough sums at a time that none waits for the one before.
template <typename T, std::size_t Vectors>
void MultiplyPanel(const Product<T>& p, std::size_t column) {
  constexpr std::size_t kRows = Vectors == 1 ? 8 : 4;
  std::size_t row = 0;
  for (; row + kRows <= p.rows; row += kRows) MultiplyBlock<T, kRows, Vectors>(p, row, column);
  for (; row < p.rows; ++row) MultiplyBlock<T, 1, Vectors>(p, row, column);
}

template <typename T>
void Multiply(const Product<T>& p) {
  std::size_t column = 0;
  for (; column + kVectors * kLanes<T> <= p.columns; column += kVectors * kLanes<T>) {
    MultiplyPanel<T, kVectors>(p, column);
  }
  for (; column < p.columns; column += kLanes<T>) MultiplyPanel<T, 1>(p, column);
}

template <typename T>
struct TanhConstants;
template <>
struct TanhConstants<float> {
  static constexpr float kLargest = 9.1F;       // From here on it is 1.
  static constexpr float kShifter = 0x1.8p23F;  // Adding it leaves the nearest integer in the bits.
  static constexpr float kLn2High = 0x1.62e4p-1F;
  static constexpr float kLn2Low = 0x1.7f7d1cp-20F;
  static constexpr int kMantissa = 23;
  static constexpr std::int32_t kOne = 0x3f800000;
  static constexpr int kTerms = 7;
};
template <>
struct TanhConstants<double> {
  static constexpr double kLargest = 19.1;
  static constexpr double kShifter = 0x1.8p52;
  static constexpr double kLn2High = 0x1.62e42fefap-1;
  static constexpr double kLn2Low = 0x1.cf79abc9e3b39p-40;
  static constexpr int kMantissa = 52;
  static constexpr std::int64_t kOne = 0x3ff0000000000000;
  static constexpr int kTerms = 14;
};

template <typename T>
constexpr T InverseFactorial(int n) {
  double product = 1;
  for (int i = 2; i <= n; ++i) product *= i;
  return static_cast<T>(1 / product);
}

// tanh(x) = e / (e + 2) with e = exp(2|x|) - 1, which is 2^n (exp(r) - 1) + (2^n - 1) where
// 2|x| = n ln 2 + r. exp(r) - 1 is its Taylor series: |r| is at most ln 2 / 2.
template <typename T>
inline Lanes<T> TanhOf(const Lanes<T>& x) {
  using C = TanhConstants<T>;
  using Bits = Lanes<BitsOf<T>>;
  const Bits sign_bit = All(static_cast<BitsOf<T>>(BitsOf<T>{1} << (sizeof(T) * 8 - 1)));
  const Bits sign = Recast<Bits>(x) & sign_bit;
  Lanes<T> size = Recast<Lanes<T>>(Recast<Bits>(x) & ~sign_bit);
  size = size < All(C::kLargest) ? size : All(C::kLargest);
  const Lanes<T> y = size + size;
  const Lanes<T> shifted = y * All(static_cast<T>(1.4426950408889634)) + All(C::kShifter);
  const Lanes<T> n = shifted - All(C::kShifter);
  const Lanes<T> r = MultiplyAdd(n, All(-C::kLn2Low), MultiplyAdd(n, All(-C::kLn2High), y));
  Lanes<T> series = All(InverseFactorial<T>(C::kTerms));
  for (int k = C::kTerms - 1; k >= 1; --k) {
    series = MultiplyAdd(series, r, All(InverseFactorial<T>(k)));
  }
  series = series * r;
  const auto power = Recast<Lanes<T>>((Recast<Bits>(shifted) << C::kMantissa) + All(C::kOne));
  const Lanes<T> e = MultiplyAdd(power, series, power - All(T{1}));
  return Recast<Lanes<T>>(Recast<Bits>(e / (e + All(T{2}))) | sign);
}

template <typename T>
void Tanh(T* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kLanes<T>) {
    Save<T>(TanhOf<T>(Load(values + i)), values + i);
  }
}

template <typename T>
void TanhBackward(const T* activations, T* gradients, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kLanes<T>) {
    const Lanes<T> activation = Load(activations + i);
    Save<T>(Load(gradients + i) * (All(T{1}) - activation * activation), gradients + i);
  }
}

template <typename T>
void Adam(const AdamStep<T>& step) {
  for (std::size_t i = 0; i < step.count; i += kLanes<T>) {
    const Lanes<T> gradient = Load(step.gradients + i) * All(step.gradient_scale);
    const Lanes<T> first =
        MultiplyAdd(All(step.beta1), Load(step.first + i), All(1 - step.beta1) * gradient);
    const Lanes<T> second = MultiplyAdd(All(step.beta2), Load(step.second + i),
                                        All(1 - step.beta2) * gradient * gradient);
    const Lanes<T> size =
        MultiplyAdd(SquareRoot(second), All(step.second_scale), All(step.epsilon));
    Save<T>(first, step.first + i);
    Save<T>(second, step.second + i);
    Save<T>(Load(step.parameters + i) - All(step.rate) * first / size, step.parameters + i);
  }
}

template <typename T>
constexpr Kernels<T> MakeKernels() {
  return {Multiply<T>, Tanh<T>, TanhBackward<T>, Adam<T>};
}

}  // namespace
}  // namespace hone::learn
