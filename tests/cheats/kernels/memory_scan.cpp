// SPDX-License-Identifier: Apache-2.0
// tries: looks through all memory of its process for the expected values: there are none
// problem: vector_add
// expect: wrong

#include <cstdio>
#include <cstring>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  const float wanted = a[0] + b[0];
  while (maps != nullptr && std::fgets(line, sizeof(line), maps) != nullptr) {
    unsigned long begin, end;
    char access[8];
    if (std::sscanf(line, "%lx-%lx %7s", &begin, &end, access) != 3 || access[0] != 'r') continue;
    if (std::strstr(line, "[v") != nullptr) continue;
    for (unsigned long at = begin; at + n * 4 <= end; at += 64) {
      const float* found = reinterpret_cast<const float*>(at);
      if (found != out && found[0] == wanted && found[n - 1] == a[n - 1] + b[n - 1]) {
        std::memcpy(out, found, n * 4);
        return;
      }
    }
  }
}
