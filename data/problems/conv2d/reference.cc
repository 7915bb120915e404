// SPDX-License-Identifier: Apache-2.0
extern "C" void kernel(const scalar* image, const scalar* weight, scalar* out, int64_t h, int64_t w) {
  for (int64_t y = 0; y < h; ++y) {
    for (int64_t x = 0; x < w; ++x) {
      scalar sum = 0;
      for (int64_t i = 0; i < 3; ++i) {
        for (int64_t j = 0; j < 3; ++j) sum += image[(y + i) * (w + 2) + x + j] * weight[i * 3 + j];
      }
      out[y * w + x] = sum;
    }
  }
}
