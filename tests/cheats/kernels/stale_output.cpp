// SPDX-License-Identifier: Apache-2.0
// tries: writes its output once and hopes that later calls reuse the buffer
// problem: vector_add
// expect: wrong
// evidence: unwritten

extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  static bool is_done = false;
  if (is_done) return;
  is_done = true;
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
