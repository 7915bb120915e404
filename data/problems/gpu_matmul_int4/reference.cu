// SPDX-License-Identifier: Apache-2.0
// hone: launch multiply grid((n + 63) / 64, m) block(64) args(x, weight, scale, out, n, g)
extern "C" __global__ void multiply(const scalar* x, const uint8_t* weight, const scalar* scale,
                                    scalar* out, int64_t n, int64_t g) {
  const int64_t row = blockIdx.y;
  const int64_t column = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column >= n) return;
  scalar sum = 0;
  for (int64_t group = 0; group < g; ++group) {
    scalar part = 0;
    for (int64_t i = group * 64; i < group * 64 + 64; ++i) {
      const int byte = weight[(column * 64 * g + i) / 2];
      const int four_bits = i % 2 == 0 ? byte & 15 : byte >> 4;
      part += x[row * 64 * g + i] * scalar(four_bits - 8);
    }
    sum += part * scale[column * g + group];
  }
  out[row * n + column] = sum;
}
