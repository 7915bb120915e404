// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/entry_recorder.h"

// cuBLAS's products of matrices, where the problem's policy allows libraries.
// NOLINTBEGIN(readability-identifier-naming): the names are NVIDIA's.
using hone::compute::MatrixProduct;
using hone::compute::recorder;

namespace {

constexpr int kSuccess = 0;
constexpr int kFloat = 0;  // CUDA_R_32F, CUDA_R_64F, CUDA_R_16F
constexpr int kDouble = 1;
constexpr int kHalf = 2;
constexpr int kHalfCompute = 64;
constexpr int kFloatCompute = 68;
constexpr int kDoubleCompute = 70;
constexpr int kByUsual = -1;  // CUBLAS_GEMM_DEFAULT
constexpr int kPedanticMath = 2;
constexpr int kTf32Math = 3;

// What the mode of a handle makes of a product of floats.
int FloatCompute(void* handle) {
  constexpr int kStrictly = 69;
  constexpr int kByTf32 = 77;
  const int math = recorder.ProductHandleOf(handle).math;
  return math == kTf32Math ? kByTf32 : math == kPedanticMath ? kStrictly : kFloatCompute;
}

struct Matrix {
  const void* at;
  int lead;
  long long stride;
};

int Multiplied(const char* call, void* handle, int type, int compute, int transpose_a,
               int transpose_b, const int (&sizes)[3], const void* alpha, const Matrix& a,
               const Matrix& b, const void* beta, const Matrix& c, int count) {
  const MatrixProduct product{transpose_a, transpose_b, sizes[0], sizes[1], sizes[2],
                              type,        type,        type,     a.lead,   b.lead,
                              c.lead,      count,       compute,  kByUsual, a.stride,
                              b.stride,    c.stride,    {},       {}};
  recorder.Multiply(handle, product, a.at, b.at, const_cast<void*>(c.at), alpha, beta, call);
  return kSuccess;
}

}  // namespace

HONE_CALL int cublasCreate_v2(void** handle) {
  *handle = recorder.MakeProductHandle();
  return kSuccess;
}
HONE_CALL int cublasDestroy_v2(void*) { return kSuccess; }
HONE_CALL int cublasSetStream_v2(void* handle, void* stream) {
  recorder.ProductHandleOf(handle).stream = stream;
  return kSuccess;
}
HONE_CALL int cublasGetStream_v2(void* handle, void** stream) {
  *stream = recorder.ProductHandleOf(handle).stream;
  return kSuccess;
}
HONE_CALL int cublasSetMathMode(void* handle, int mode) {
  recorder.ProductHandleOf(handle).math = mode;
  return kSuccess;
}
HONE_CALL int cublasSetPointerMode_v2(void* handle, int mode) {
  recorder.ProductHandleOf(handle).has_device_scalars = mode != 0;
  return kSuccess;
}
HONE_CALL int cublasSetWorkspace_v2(void*, void*, size_t) { return kSuccess; }

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses.
#define HONE_PRODUCT(letter, type, number, compute)                                               \
  HONE_CALL int cublas##letter##gemm_v2(void* handle, int ta, int tb, int m, int n, int k,        \
                                        const type* alpha, const type* a, int lda, const type* b, \
                                        int ldb, const type* beta, type* c, int ldc) {            \
    return Multiplied("cublas" #letter "gemm", handle, number, compute, ta, tb, {m, n, k}, alpha, \
                      {a, lda, 0}, {b, ldb, 0}, beta, {c, ldc, 0}, 1);                            \
  }                                                                                               \
  HONE_CALL int cublas##letter##gemmStridedBatched(                                               \
      void* handle, int ta, int tb, int m, int n, int k, const type* alpha, const type* a,        \
      int lda, long long stride_a, const type* b, int ldb, long long stride_b, const type* beta,  \
      type* c, int ldc, long long stride_c, int count) {                                          \
    return Multiplied("cublas" #letter "gemmStridedBatched", handle, number, compute, ta, tb,     \
                      {m, n, k}, alpha, {a, lda, stride_a}, {b, ldb, stride_b}, beta,             \
                      {c, ldc, stride_c}, count);                                                 \
  }
HONE_PRODUCT(S, float, kFloat, FloatCompute(handle))
HONE_PRODUCT(D, double, kDouble, kDoubleCompute)
#undef HONE_PRODUCT
// NOLINTEND(bugprone-macro-parentheses)
HONE_CALL int cublasHgemm(void* handle, int ta, int tb, int m, int n, int k, const void* alpha,
                          const void* a, int lda, const void* b, int ldb, const void* beta, void* c,
                          int ldc) {
  return Multiplied("cublasHgemm", handle, kHalf, kHalfCompute, ta, tb, {m, n, k}, alpha,
                    {a, lda, 0}, {b, ldb, 0}, beta, {c, ldc, 0}, 1);
}

HONE_CALL int cublasGemmStridedBatchedEx(void* handle, int ta, int tb, int m, int n, int k,
                                         const void* alpha, const void* a, int type_a, int lda,
                                         long long stride_a, const void* b, int type_b, int ldb,
                                         long long stride_b, const void* beta, void* c, int type_c,
                                         int ldc, long long stride_c, int count, int compute,
                                         int algorithm) {
  const MatrixProduct product{ta,       tb,       m,        n,   k,     type_a,  type_b,
                              type_c,   lda,      ldb,      ldc, count, compute, algorithm,
                              stride_a, stride_b, stride_c, {},  {}};
  recorder.Multiply(handle, product, a, b, c, alpha, beta, "cublasGemmStridedBatchedEx");
  return kSuccess;
}
HONE_CALL int cublasGemmEx(void* handle, int ta, int tb, int m, int n, int k, const void* alpha,
                           const void* a, int type_a, int lda, const void* b, int type_b, int ldb,
                           const void* beta, void* c, int type_c, int ldc, int compute,
                           int algorithm) {
  return cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, alpha, a, type_a, lda, 0, b, type_b,
                                    ldb, 0, beta, c, type_c, ldc, 0, 1, compute, algorithm);
}
// NOLINTEND(readability-identifier-naming)
