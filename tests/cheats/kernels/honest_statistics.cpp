// SPDX-License-Identifier: Apache-2.0
// tries: nothing: variance in one pass, shifted by the first element of the row
// problem: row_statistics
// expect: accepted

extern "C" void kernel(const float* x, float* mean, float* variance, int64_t* largest, int64_t m,
                       int64_t n) {
  for (int64_t r = 0; r < m; ++r) {
    const float* in = x + r * n;
    double sum = 0, squares = 0;
    int64_t best = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double d = static_cast<double>(in[i]) - in[0];
      sum += d;
      squares += d * d;
      if (in[i] > in[best]) best = i;
    }
    mean[r] = static_cast<float>(in[0] + sum / n);
    variance[r] = static_cast<float>((squares - sum * sum / n) / n);
    largest[r] = best;
  }
}
