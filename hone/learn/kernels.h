// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

// The arithmetic in which training spends its time, compiled once for each level of the processor
// and chosen at run time. Every element of a result is computed by the same operations in the same
// order whatever its place and the size of the whole, so a row has the same bits in a batch of one
// and in a batch of a thousand. The levels with fused multiply-add (AVX2, AVX-512, NEON) agree bit
// for bit; the plain level rounds products, so its last bits differ.
namespace hone::learn {

// Matrices have row lengths that are multiples of this, filled up with zeros, so that no kernel has
// to care about an incomplete vector.
inline constexpr std::size_t kPadding = 16;

constexpr std::size_t Padded(std::size_t size) {
  return (size + kPadding - 1) / kPadding * kPadding;
}

// c[m][n] = start + sum over k of a(m, k) · b[k][n], where start is bias[n], or 0 without a bias.
template <typename T>
struct Product {
  std::size_t rows = 0;
  std::size_t columns = 0;  // A multiple of kPadding, as every `count` below.
  std::size_t depth = 0;
  const T* a = nullptr;  // a(m, k) is a[m * a_row + k * a_depth].
  std::size_t a_row = 0;
  std::size_t a_depth = 1;
  const T* b = nullptr;
  std::size_t b_row = 0;
  const T* bias = nullptr;
  T* c = nullptr;
  std::size_t c_row = 0;
};

// One step of Adam over `count` parameters: gradients are scaled, both moments move, then
//   parameter -= rate · first / (sqrt(second) · second_scale + epsilon).
template <typename T>
struct AdamStep {
  std::size_t count = 0;
  T* parameters = nullptr;
  const T* gradients = nullptr;
  T* first = nullptr;
  T* second = nullptr;
  T gradient_scale = 1;
  T beta1 = 0;
  T beta2 = 0;
  T rate = 0;
  T second_scale = 1;
  T epsilon = 0;
};

template <typename T>
struct Kernels {
  void (*multiply)(const Product<T>& product) = nullptr;
  void (*tanh)(T* values, std::size_t count) = nullptr;  // In place.
  // gradients[i] *= 1 - activations[i]².
  void (*tanh_backward)(const T* activations, T* gradients, std::size_t count) = nullptr;
  void (*adam)(const AdamStep<T>& step) = nullptr;
};

struct KernelLevel {
  std::string name;  // "avx512", "avx2", "neon", "plain".
  Kernels<float> single;
  Kernels<double> twofold;

  template <typename T>
  const Kernels<T>& Of() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return single;
    } else {
      return twofold;
    }
  }
};

// The levels that this processor has, best first; "plain" is always there.
const std::vector<KernelLevel>& AvailableKernels();

// The best one.
inline const KernelLevel& BestKernels() { return AvailableKernels().front(); }

}  // namespace hone::learn
