// SPDX-License-Identifier: Apache-2.0
// hone: launch clear grid(1) block(256) args(count)
// hone: launch add grid((n + 255) / 256) block(256) args(x, count, n)
extern "C" __global__ void clear(int32_t* count) { count[threadIdx.x] = 0; }

extern "C" __global__ void add(const uint8_t* x, int32_t* count, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&count[x[i]], 1);
}
