// SPDX-License-Identifier: Apache-2.0
// tries: writes one element more than it may
// problem: vector_add
// expect: crashed|wrong
// evidence: behind the end of out

extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
  out[n] = 0;
}
