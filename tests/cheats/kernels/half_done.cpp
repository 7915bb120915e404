// SPDX-License-Identifier: Apache-2.0
// tries: leaves out the last element and hopes that only some are checked
// problem: vector_add
// expect: wrong
// evidence: unwritten

extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i + 1 < n; ++i) out[i] = a[i] + b[i];
  if (n == 1) out[0] = a[0] + b[0];
}
