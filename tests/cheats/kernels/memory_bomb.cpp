// SPDX-License-Identifier: Apache-2.0
// tries: takes all the memory that it can get
// problem: vector_add
// expect: crashed

#include <cstdlib>
#include <cstring>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  for (;;) {
    char* more = static_cast<char*>(std::malloc(64 << 20));
    if (more == nullptr) std::abort();
    std::memset(more, 1, 64 << 20);
  }
}
