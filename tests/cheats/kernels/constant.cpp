// SPDX-License-Identifier: Apache-2.0
// tries: returns the mean of the output, which is near every element
// problem: softmax
// expect: wrong

extern "C" void kernel(const float*, float* out, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m * n; ++i) out[i] = 1.0f / n;
}
