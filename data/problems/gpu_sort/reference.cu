// SPDX-License-Identifier: Apache-2.0
// hone: launch place_all grid((n + 63) / 64) block(64) args(key, sorted, place, n)

// A number's place is how many belong before it.
extern "C" __global__ void place_all(const int32_t* key, int32_t* sorted, int32_t* place,
                                     int64_t n) {
  const int64_t at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= n) return;
  const int32_t own = key[at];
  int64_t before = 0;
  for (int64_t i = 0; i < at; ++i) before += key[i] <= own ? 1 : 0;
  for (int64_t i = at + 1; i < n; ++i) before += key[i] < own ? 1 : 0;
  sorted[before] = own;
  place[before] = int32_t(at);
}
