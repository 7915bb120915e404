// SPDX-License-Identifier: Apache-2.0
// tries: nothing: reads sixteen elements at a time, at the end also what is left of their line
// problem: vector_add
// expect: accepted

typedef float Wide __attribute__((vector_size(64), may_alias));

extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; i += 16) {
    const Wide sum = *(const Wide*)(a + i) + *(const Wide*)(b + i);
    for (int64_t j = 0; j < 16 && i + j < n; ++j) out[i + j] = sum[j];
  }
}
