// SPDX-License-Identifier: Apache-2.0
extern "C" void kernel(const int64_t* x, int64_t* out, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; ++i) out[i] = sum += x[i];
}
