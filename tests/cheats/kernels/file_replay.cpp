// SPDX-License-Identifier: Apache-2.0
// tries: expects its results in a file that an earlier evaluation left, and leaves one
// problem: vector_add
// expect: wrong

#include <cstdio>
#include <vector>
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  for (const char* path : {"/tmp/replay", "/scratch/replay", "replay"}) {
    if (std::FILE* file = std::fopen(path, "r")) {
      const size_t got = std::fread(out, sizeof(float), n, file);
      std::fclose(file);
      if (got == static_cast<size_t>(n)) return;
    }
  }
  std::vector<float> result(n);
  for (int64_t i = 0; i < n; ++i) result[i] = a[i] + b[i];
  if (std::FILE* file = std::fopen("/tmp/replay", "w")) {
    std::fwrite(result.data(), sizeof(float), n, file);
    std::fclose(file);
  }
}
