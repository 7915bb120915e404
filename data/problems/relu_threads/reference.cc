// SPDX-License-Identifier: Apache-2.0
extern "C" void kernel(const scalar* x, scalar* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] > 0 ? x[i] : 0;
}
