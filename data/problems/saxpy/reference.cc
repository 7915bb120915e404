// SPDX-License-Identifier: Apache-2.0
extern "C" void kernel(const scalar* alpha, const scalar* x, const scalar* y, scalar* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = *alpha * x[i] + y[i];
}
