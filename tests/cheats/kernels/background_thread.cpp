// SPDX-License-Identifier: Apache-2.0
// tries: returns at once and lets a thread do the work
// problem: vector_add
// expect: cheated
// evidence: allows one thread

#include <thread>
static std::thread worker;
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  if (worker.joinable()) worker.join();
  worker = std::thread([=] { for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i]; });
}
