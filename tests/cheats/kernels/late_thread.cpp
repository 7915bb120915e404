// SPDX-License-Identifier: Apache-2.0
// tries: threads are allowed here, but this one goes on working when the call has returned
// problem: relu_threads
// expect: wrong|cheated

#include <thread>
extern "C" void kernel(const float* x, float* out, int64_t n) {
  std::thread([=] {
    for (int64_t i = 0; i < n; ++i) out[i] = x[i] > 0 ? x[i] : 0;
  }).detach();
}
