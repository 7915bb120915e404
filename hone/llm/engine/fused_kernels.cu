// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

#include "hone/llm/engine/fused_kernels.h"

namespace hone::llm {
namespace {

__device__ float Wide(float x) { return x; }
__device__ float Wide(__nv_bfloat16 x) { return __bfloat162float(x); }
template <typename T>
__device__ T Narrow(float x);
template <>
__device__ float Narrow<float>(float x) {
  return x;
}
template <>
__device__ __nv_bfloat16 Narrow<__nv_bfloat16>(float x) {
  return __float2bfloat16(x);
}

// The sum over all threads of the block, for all of them.
__device__ float SumOfBlock(float value) {
  __shared__ float of_warps[32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  const int warps = (static_cast<int>(blockDim.x) + 31) / 32;
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < warps; ++i) sum += of_warps[i];
  return sum;
}

// A block for each row.
template <typename T>
__global__ void RmsNormKernel(RmsNormCall call) {
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * call.width;
  const T* x = static_cast<const T*>(call.x) + begin;
  const T* delta = call.delta ? static_cast<const T*>(call.delta) + begin : nullptr;
  const T* weight = static_cast<const T*>(call.weight);
  T* sum = call.delta ? static_cast<T*>(call.sum) + begin : nullptr;
  T* norm = static_cast<T*>(call.norm) + begin;
  float squares = 0;
  for (std::int64_t i = threadIdx.x; i < call.width; i += blockDim.x) {
    float value = Wide(x[i]);
    if (delta) {
      sum[i] = Narrow<T>(value + Wide(delta[i]));
      value = Wide(sum[i]);
    }
    squares += value * value;
  }
  const float scale = rsqrtf(SumOfBlock(squares) / static_cast<float>(call.width) + call.eps);
  const T* source = delta ? sum : x;
  for (std::int64_t i = threadIdx.x; i < call.width; i += blockDim.x) {
    const float rounded = Wide(Narrow<T>(Wide(source[i]) * scale));
    norm[i] = Narrow<T>(rounded * Wide(weight[i]));
  }
}

template <typename T>
__global__ void SwiGluKernel(SwiGluCall call) {
  const std::int64_t all = call.rows * call.width;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < all;
       i += step) {
    const std::int64_t row = i / call.width;
    const std::int64_t column = i % call.width;
    const float gate = Wide(static_cast<const T*>(call.gate)[row * call.gate_stride + column]);
    const float up = Wide(static_cast<const T*>(call.up)[row * call.up_stride + column]);
    const float active = Wide(Narrow<T>(gate / (1 + __expf(-gate))));
    static_cast<T*>(call.out)[i] = Narrow<T>(active * up);
  }
}

// A thread for each pair of the two halves.
template <typename T>
__global__ void RotateKernel(RotateCall call) {
  const std::int64_t half = call.dim / 2;
  const std::int64_t all = call.batch * call.heads * call.length * half;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < all;
       i += step) {
    const std::int64_t k = i % half;
    const std::int64_t row = i / half;
    const std::int64_t t = row % call.length;
    const std::int64_t h = row / call.length % call.heads;
    const std::int64_t b = row / call.length / call.heads;
    const T* x = static_cast<const T*>(call.x) + b * call.batch_stride + h * call.head_stride +
                 t * call.length_stride;
    const std::int64_t angle = b * call.angle_batch_stride + t * call.angle_length_stride;
    const T* cos = static_cast<const T*>(call.cos) + angle;
    const T* sin = static_cast<const T*>(call.sin) + angle;
    T* out = static_cast<T*>(call.out) + row * call.dim;
    const float first = Wide(x[k]);
    const float second = Wide(x[k + half]);
    out[k] = Narrow<T>(first * Wide(cos[k]) - second * Wide(sin[k]));
    out[k + half] = Narrow<T>(second * Wide(cos[k + half]) + first * Wide(sin[k + half]));
  }
}

template <typename T>
__global__ void StoreKernel(StoreCall call) {
  const std::int64_t all = call.rows * call.heads * call.dim;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < all;
       i += step) {
    const std::int64_t k = i % call.dim;
    const std::int64_t h = i / call.dim % call.heads;
    const std::int64_t row = i / call.dim / call.heads;
    const std::int64_t to = row * call.cache_row_stride + h * call.cache_head_stride +
                            call.positions[row] * call.dim + k;
    static_cast<T*>(call.keys)[to] =
        static_cast<const T*>(call.key)[row * call.key_row_stride + h * call.key_head_stride + k];
    static_cast<T*>(call.values)[to] =
        static_cast<const T*>(
            call.value)[row * call.value_row_stride + h * call.value_head_stride + k];
  }
}

constexpr std::int64_t kBlockOfVocab = 128;

// A warp for each block of the vocabulary.
template <typename T>
__global__ void BlockKernel(BlockCall call) {
  const std::int64_t blocks = (call.vocab + kBlockOfVocab - 1) / kBlockOfVocab;
  const std::int64_t place =
      (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (place >= call.rows * blocks) return;  // All lanes of a warp together.
  const std::int64_t row = place / blocks;
  const std::int64_t begin = place % blocks * kBlockOfVocab;
  const T* logits = static_cast<const T*>(call.logits) + row * call.row_stride;
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (!call.best) {
    float best = -INFINITY;
    std::int64_t id = begin;
    for (std::int64_t i = begin + lane; i < begin + kBlockOfVocab && i < call.vocab; i += 32) {
      const float value = Wide(logits[i]);
      if (value > best) {
        best = value;
        id = i;
      }
    }
    for (int step = 16; step > 0; step /= 2) {
      const float other = __shfl_xor_sync(0xffffffff, best, step);
      const std::int64_t other_id = __shfl_xor_sync(0xffffffff, static_cast<long long>(id), step);
      if (other > best || (other == best && other_id < id)) {
        best = other;
        id = other_id;
      }
    }
    if (lane == 0) {
      call.block_best[place] = best;
      call.block_ids[place] = id;
    }
    return;
  }
  const float best = call.best[row];
  const float scale = 1 / call.temperature[row];
  float sum = 0;
  float plain = 0;
  for (std::int64_t i = begin + lane; i < begin + kBlockOfVocab && i < call.vocab; i += 32) {
    const float below = Wide(logits[i]) - best;
    sum += expf(below * scale);
    plain += expf(below);
  }
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_xor_sync(0xffffffff, sum, step);
    plain += __shfl_xor_sync(0xffffffff, plain, step);
  }
  if (lane == 0) {
    call.sums[place] = sum;
    call.plain_sums[place] = plain;
  }
}

constexpr int kThreads = 256;

unsigned BlocksFor(std::int64_t elements) {
  const std::int64_t blocks = (elements + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < 65535 ? blocks : 65535);
}

}  // namespace

void Launch(const RmsNormCall& call, cudaStream_t stream) {
  int threads = 32;
  while (threads < call.width / 2 && threads < 512) threads *= 2;
  const auto blocks = static_cast<unsigned>(call.rows);
  if (call.is_half) {
    RmsNormKernel<__nv_bfloat16><<<blocks, threads, 0, stream>>>(call);
  } else {
    RmsNormKernel<float><<<blocks, threads, 0, stream>>>(call);
  }
}

void Launch(const SwiGluCall& call, cudaStream_t stream) {
  const unsigned blocks = BlocksFor(call.rows * call.width);
  if (call.is_half) {
    SwiGluKernel<__nv_bfloat16><<<blocks, kThreads, 0, stream>>>(call);
  } else {
    SwiGluKernel<float><<<blocks, kThreads, 0, stream>>>(call);
  }
}

void Launch(const RotateCall& call, cudaStream_t stream) {
  const unsigned blocks = BlocksFor(call.batch * call.heads * call.length * call.dim / 2);
  if (call.is_half) {
    RotateKernel<__nv_bfloat16><<<blocks, kThreads, 0, stream>>>(call);
  } else {
    RotateKernel<float><<<blocks, kThreads, 0, stream>>>(call);
  }
}

void Launch(const BlockCall& call, cudaStream_t stream) {
  const std::int64_t blocks = (call.vocab + kBlockOfVocab - 1) / kBlockOfVocab;
  const auto grid = static_cast<unsigned>((call.rows * blocks * 32 + kThreads - 1) / kThreads);
  if (call.is_half) {
    BlockKernel<__nv_bfloat16><<<grid, kThreads, 0, stream>>>(call);
  } else {
    BlockKernel<float><<<grid, kThreads, 0, stream>>>(call);
  }
}

void Launch(const StoreCall& call, cudaStream_t stream) {
  const unsigned blocks = BlocksFor(call.rows * call.heads * call.dim);
  if (call.is_half) {
    StoreKernel<__nv_bfloat16><<<blocks, kThreads, 0, stream>>>(call);
  } else {
    StoreKernel<float><<<blocks, kThreads, 0, stream>>>(call);
  }
}

}  // namespace hone::llm
