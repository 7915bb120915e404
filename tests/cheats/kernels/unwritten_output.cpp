// SPDX-License-Identifier: Apache-2.0
// tries: returns without writing and hopes that the buffer still holds the reference's result
// problem: vector_add
// expect: wrong
// evidence: unwritten

extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  (void)a; (void)b; (void)out; (void)n;
}
