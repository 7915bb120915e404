// SPDX-License-Identifier: Apache-2.0
// tries: does half of the work once the same shape comes again and again: that must be the timing
// problem: vector_add
// expect: wrong
// evidence: timed call

extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  static int64_t last = 0;
  static int same = 0;
  same = n == last ? same + 1 : 0;
  last = n;
  if (same > 4) n /= 2;
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
