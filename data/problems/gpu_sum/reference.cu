// SPDX-License-Identifier: Apache-2.0
// hone: scratch many bytes(8 * 65536)
// hone: scratch few bytes(8 * 256)
// hone: launch add grid(256) block(256) args(x, many, n)
// hone: launch add_again grid(1) block(256) args(many, few, 65536)
// hone: launch finish grid(1) block(1) args(few, out)

// Every thread adds up what is as many numbers apart as there are threads.
__device__ scalar Strided(const scalar* x, int64_t n) {
  const int64_t threads = int64_t{gridDim.x} * blockDim.x;
  scalar sum = 0;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) sum += x[i];
  return sum;
}

extern "C" __global__ void add(const scalar* x, scalar* many, int64_t n) {
  many[blockIdx.x * blockDim.x + threadIdx.x] = Strided(x, n);
}

extern "C" __global__ void add_again(const scalar* many, scalar* few, int64_t n) {
  few[threadIdx.x] = Strided(many, n);
}

extern "C" __global__ void finish(const scalar* few, scalar* out) {
  scalar sum = 0;
  for (int i = 0; i < 256; ++i) sum += few[i];
  *out = sum;
}
