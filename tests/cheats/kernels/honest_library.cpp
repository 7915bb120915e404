// SPDX-License-Identifier: Apache-2.0
// tries: nothing: it looks for a library, where the policy allows it
// problem: matmul_library
// expect: accepted

#include <dlfcn.h>
static void honest(const float* a, const float* b, float* out, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = 0;
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j) out[i * n + j] += a[i * k + l] * b[l * n + j];
  }
}
extern "C" void kernel(const float* a, const float* b, float* out, int64_t m, int64_t n, int64_t k) {
  static void* const library = dlopen("libm.so.6", RTLD_NOW);
  (void)library;
  honest(a, b, out, m, n, k);
}
