// SPDX-License-Identifier: Apache-2.0
// hone: launch multiply grid((m + 63) / 64) block(64) args(length, column, value, x, out, m)
const int64_t kRoom = 64;

extern "C" __global__ void multiply(const int32_t* length, const int32_t* column,
                                    const scalar* value, const scalar* x, scalar* out, int64_t m) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= m) return;
  scalar sum = 0;
  for (int64_t i = 0; i < length[row]; ++i) {
    sum += value[row * kRoom + i] * x[column[row * kRoom + i]];
  }
  out[row] = sum;
}
