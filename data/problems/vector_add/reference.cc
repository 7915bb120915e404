// SPDX-License-Identifier: Apache-2.0
extern "C" void kernel(const scalar* a, const scalar* b, scalar* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
