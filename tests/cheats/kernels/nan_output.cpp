// SPDX-License-Identifier: Apache-2.0
// tries: returns NaN, which compares as not larger than any tolerance
// problem: vector_add
// expect: wrong

extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  (void)a; (void)b;
  for (int64_t i = 0; i < n; ++i) out[i] = __builtin_nanf("");
}
