// SPDX-License-Identifier: Apache-2.0
// tries: nothing: a plain loop
// problem: vector_add
// expect: accepted

extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
