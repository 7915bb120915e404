// SPDX-License-Identifier: Apache-2.0
// tries: reads one element more than there is, and throws it away
// problem: vector_add
// expect: crashed
// evidence: behind the end of b

extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
  (void)*(const volatile float*)(b + n);
}
