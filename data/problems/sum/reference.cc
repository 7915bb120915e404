// SPDX-License-Identifier: Apache-2.0
extern "C" void kernel(const scalar* x, scalar* out, int64_t n) {
  scalar sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  *out = sum;
}
