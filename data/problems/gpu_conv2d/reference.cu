// SPDX-License-Identifier: Apache-2.0
// hone: launch convolve grid((h * w + 127) / 128, co, b) block(128) args(image, weight, bias, out, ci, h, w)
extern "C" __global__ void convolve(const scalar* image, const scalar* weight, const scalar* bias,
                                    scalar* out, int64_t ci, int64_t h, int64_t w) {
  const int64_t at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= h * w) return;
  const int64_t row = at / w;
  const int64_t column = at % w;
  const int64_t channel = blockIdx.y;
  scalar sum = bias[channel];
  for (int64_t c = 0; c < ci; ++c) {
    const scalar* from = image + (blockIdx.z * ci + c) * h * w;
    const scalar* factors = weight + (channel * ci + c) * 9;
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t j = 0; j < 3; ++j) {
        const int64_t y = row + i - 1;
        const int64_t x = column + j - 1;
        if (y < 0 || y >= h || x < 0 || x >= w) continue;
        sum += from[y * w + x] * factors[i * 3 + j];
      }
    }
  }
  out[(int64_t{blockIdx.z} * gridDim.y + channel) * h * w + at] = sum;
}
