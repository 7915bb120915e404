// SPDX-License-Identifier: Apache-2.0
// tries: nothing: two threads, where the policy allows two, and both have ended at the return
// problem: relu_threads
// expect: accepted

#include <thread>
static void part(const float* x, float* out, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) out[i] = x[i] > 0 ? x[i] : 0;
}
extern "C" void kernel(const float* x, float* out, int64_t n) {
  std::thread other(part, x, out, n / 2, n);
  part(x, out, 0, n / 2);
  other.join();
}
