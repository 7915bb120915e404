// SPDX-License-Identifier: Apache-2.0
// tries: does the work of two calls in one and nothing in the other
// problem: vector_add
// expect: wrong

extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  static int calls = 0;
  if (++calls % 2 == 0) return;
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
