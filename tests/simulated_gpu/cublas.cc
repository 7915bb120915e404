// SPDX-License-Identifier: Apache-2.0
// libcublas.so.12 for tests (README.md): products of floats and doubles, element by element.
#include <cstdint>

#include "hone/gpu/cublas_calls.h"

namespace {

using hone::gpu::CuAddress;

constexpr int kFloat = 0;  // CUDA_R_32F
constexpr int kDouble = 1;
constexpr int kInvalidValue = 7;  // CUBLAS_STATUS_INVALID_VALUE
constexpr int kNotSupported = 15;

struct Matrix {
  CuAddress at;
  int lead;
  bool is_transposed;
};

template <typename T>
T& Element(const Matrix& matrix, int row, int column) {
  const std::int64_t place = matrix.is_transposed ? column + std::int64_t{row} * matrix.lead
                                                  : row + std::int64_t{column} * matrix.lead;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the simulated GPU is one of ours.
  return reinterpret_cast<T*>(matrix.at)[place];
}

template <typename T>
void Multiply(int m, int n, int k, T alpha, const Matrix& a, const Matrix& b, T beta,
              const Matrix& c) {
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      T sum = 0;
      for (int i = 0; i < k; ++i) sum += Element<T>(a, row, i) * Element<T>(b, i, column);
      T& to = Element<T>(c, row, column);
      to = beta == 0 ? alpha * sum : alpha * sum + beta * to;
    }
  }
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVIDIA's.
extern "C" {

int cublasCreate_v2(void** handle) {
  static int one = 0;
  *handle = &one;
  return 0;
}

int cublasSetStream_v2(void*, void*) { return 0; }

int cublasGemmStridedBatchedEx(void*, int ta, int tb, int m, int n, int k, const void* alpha,
                               CuAddress a, int type_a, int lda, long long stride_a, CuAddress b,
                               int type_b, int ldb, long long stride_b, const void* beta,
                               CuAddress c, int type_c, int ldc, long long stride_c, int count, int,
                               int) {
  if (m < 0 || n < 0 || k < 0 || ldc < m) return kInvalidValue;
  if (type_a != type_b || type_a != type_c || type_a > kDouble) return kNotSupported;
  const long long bytes = type_a == kFloat ? sizeof(float) : sizeof(double);
  for (int i = 0; i < count; ++i) {
    const Matrix left{a + CuAddress(i * stride_a * bytes), lda, ta != 0};
    const Matrix right{b + CuAddress(i * stride_b * bytes), ldb, tb != 0};
    const Matrix to{c + CuAddress(i * stride_c * bytes), ldc, false};
    if (type_a == kFloat) {
      Multiply(m, n, k, *static_cast<const float*>(alpha), left, right,
               *static_cast<const float*>(beta), to);
    } else {
      Multiply(m, n, k, *static_cast<const double*>(alpha), left, right,
               *static_cast<const double*>(beta), to);
    }
  }
  return 0;
}
}
// NOLINTEND(readability-identifier-naming)
