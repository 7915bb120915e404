// SPDX-License-Identifier: Apache-2.0
// hone: scratch totals bytes(8 * ((n + 1023) / 1024))
// hone: launch total grid((n + 65535) / 65536) block(64) args(x, totals, n)
// hone: launch accumulate grid(1) block(1) args(totals, (n + 1023) / 1024)
// hone: launch scan grid((n + 65535) / 65536) block(64) args(x, totals, out, n)

// A thread has so many numbers, one after the other.
const int64_t kEach = 1024;

__device__ int64_t Begin() {
  return (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kEach;
}

__device__ int64_t End(int64_t n) { return Begin() + kEach < n ? Begin() + kEach : n; }

extern "C" __global__ void total(const scalar* x, scalar* totals, int64_t n) {
  if (Begin() >= n) return;
  scalar sum = 0;
  for (int64_t i = Begin(); i < End(n); ++i) sum += x[i];
  totals[Begin() / kEach] = sum;
}

// What comes before each thread's numbers.
extern "C" __global__ void accumulate(scalar* totals, int64_t count) {
  scalar sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const scalar next = totals[i];
    totals[i] = sum;
    sum += next;
  }
}

extern "C" __global__ void scan(const scalar* x, const scalar* totals, scalar* out, int64_t n) {
  if (Begin() >= n) return;
  scalar sum = totals[Begin() / kEach];
  for (int64_t i = Begin(); i < End(n); ++i) out[i] = sum += x[i];
}
