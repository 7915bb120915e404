// SPDX-License-Identifier: Apache-2.0
// tries: returns zeros, which an absolute tolerance of 1e-2 would accept for long rows
// problem: softmax
// expect: wrong

extern "C" void kernel(const float*, float* out, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m * n; ++i) out[i] = 0;
}
