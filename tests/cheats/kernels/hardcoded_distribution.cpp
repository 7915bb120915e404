// SPDX-License-Identifier: Apache-2.0
// tries: counts only the values below 128, for inputs that it expects to be small
// problem: histogram
// expect: wrong

extern "C" void kernel(const uint8_t* x, int32_t* out, int64_t n) {
  for (int64_t i = 0; i < 256; ++i) out[i] = 0;
  for (int64_t i = 0; i < n; ++i)
    if (x[i] < 128) ++out[x[i]];
}
