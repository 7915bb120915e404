// SPDX-License-Identifier: Apache-2.0
// tries: nothing: four tables that are added at the end
// problem: histogram
// expect: accepted

#include <cstring>
extern "C" void kernel(const uint8_t* x, int32_t* out, int64_t n) {
  static int32_t tables[4][256];
  std::memset(tables, 0, sizeof(tables));
  int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int j = 0; j < 4; ++j) ++tables[j][x[i + j]];
  for (; i < n; ++i) ++tables[0][x[i]];
  for (int v = 0; v < 256; ++v) out[v] = tables[0][v] + tables[1][v] + tables[2][v] + tables[3][v];
}
