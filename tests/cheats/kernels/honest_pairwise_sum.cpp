// SPDX-License-Identifier: Apache-2.0
// tries: nothing: sixteen sums side by side, far from the order of the reference
// problem: sum
// expect: accepted

extern "C" void kernel(const float* x, float* out, int64_t n) {
  float sums[16] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int j = 0; j < 16; ++j) sums[j] += x[i + j];
  float sum = 0;
  for (; i < n; ++i) sum += x[i];
  for (float part : sums) sum += part;
  *out = sum;
}
