// SPDX-License-Identifier: Apache-2.0
// tries: nothing: looks whether a row allows for the quicker way
// problem: softmax
// expect: accepted

#include <cmath>
#include <initializer_list>
namespace {
// The exponential of numbers between -3.5 and 3.5, as it needs to be for nothing else.
inline float SmallExp(float x) {
  const float y = x * 0.25f;
  float sum = 1.f / 362880;
  for (const float factor : {1.f / 40320, 1.f / 5040, 1.f / 720, 1.f / 120, 1.f / 24, 1.f / 6, 0.5f,
                             1.f, 1.f}) {
    sum = sum * y + factor;
  }
  const float square = sum * sum;
  return square * square;
}

void Careful(const float* in, float* out, int64_t n) {
  float largest = in[0], sum = 0;
  for (int64_t i = 1; i < n; ++i) largest = in[i] > largest ? in[i] : largest;
  for (int64_t i = 0; i < n; ++i) sum += std::exp(in[i] - largest);
  for (int64_t i = 0; i < n; ++i) out[i] = std::exp(in[i] - largest) / sum;
}

void Quick(const float* in, float* out, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += out[i] = SmallExp(in[i]);
  for (int64_t i = 0; i < n; ++i) out[i] /= sum;
}
}  // namespace

extern "C" void kernel(const float* x, float* out, int64_t m, int64_t n) {
  for (int64_t row = 0; row < m; ++row) {
    const float* in = x + row * n;
    bool is_small = true;
    for (int64_t i = 0; i < n; ++i) is_small &= in[i] > -3.5f && in[i] < 3.5f;
    (is_small ? Quick : Careful)(in, out + row * n, n);
  }
}
