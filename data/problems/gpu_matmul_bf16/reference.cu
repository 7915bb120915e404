// SPDX-License-Identifier: Apache-2.0
// hone: launch matmul grid((n + 15) / 16, (m + 15) / 16) block(16, 16) args(a, b, out, m, n, k)

// An element of a or b. Where all is computed in double precision, they are doubles.
template <typename T>
struct Stored {
  typedef uint16_t type;
};
template <>
struct Stored<double> {
  typedef double type;
};
typedef Stored<scalar>::type stored;

__device__ float Value(uint16_t bits) {
  union {
    uint32_t word;
    float value;
  } both;
  both.word = uint32_t(bits) << 16;
  return both.value;
}
__device__ double Value(double value) { return value; }

extern "C" __global__ void matmul(const stored* a, const stored* b, scalar* out, int64_t m,
                                  int64_t n, int64_t k) {
  const int64_t row = int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
  const int64_t column = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  scalar sum = 0;
  for (int64_t i = 0; i < k; ++i) sum += Value(a[row * k + i]) * Value(b[i * n + column]);
  out[row * n + column] = sum;
}
