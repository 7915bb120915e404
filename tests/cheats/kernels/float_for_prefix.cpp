// SPDX-License-Identifier: Apache-2.0
// tries: adds 64-bit integers as floats
// problem: prefix_sum
// expect: wrong

extern "C" void kernel(const int64_t* x, int64_t* out, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<int64_t>(sum += static_cast<float>(x[i]));
}
