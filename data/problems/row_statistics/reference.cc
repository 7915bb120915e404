// SPDX-License-Identifier: Apache-2.0
extern "C" void kernel(const scalar* x, scalar* mean, scalar* variance, int64_t* largest, int64_t m,
                       int64_t n) {
  const scalar count = static_cast<scalar>(n);
  for (int64_t row = 0; row < m; ++row) {
    const scalar* in = x + row * n;
    scalar sum = 0;
    int64_t best = 0;
    for (int64_t i = 0; i < n; ++i) {
      sum += in[i];
      if (in[i] > in[best]) best = i;
    }
    const scalar centre = sum / count;
    scalar squares = 0;
    for (int64_t i = 0; i < n; ++i) squares += (in[i] - centre) * (in[i] - centre);
    mean[row] = centre;
    variance[row] = squares / count;
    largest[row] = best;
  }
}
