// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

// Small kernels that would be several launches each. Without torch, so that they compile in
// seconds. Numbers are fp32 or bf16 and are computed with in fp32; the last dimension of every
// tensor is contiguous. Strides count elements.
namespace hone::llm {

struct RmsNormCall {
  const void* x;
  const void* delta;  // Added to x first, if not null.
  const void* weight;
  void* sum;  // x + delta, where there is a delta.
  void* norm;
  std::int64_t rows;
  std::int64_t width;
  float eps;
  bool is_half;
};
void Launch(const RmsNormCall& call, cudaStream_t stream);

struct SwiGluCall {
  const void* gate;
  const void* up;
  void* out;  // [rows, width], contiguous.
  std::int64_t rows;
  std::int64_t width;
  std::int64_t gate_stride;  // Between rows.
  std::int64_t up_stride;
  bool is_half;
};
void Launch(const SwiGluCall& call, cudaStream_t stream);

struct RotateCall {
  const void* x;
  const void* cos;
  const void* sin;
  void* out;  // [batch, heads, length, dim], contiguous.
  std::int64_t batch;
  std::int64_t heads;
  std::int64_t length;
  std::int64_t dim;
  std::int64_t batch_stride;  // Of x, as the two that follow.
  std::int64_t head_stride;
  std::int64_t length_stride;
  std::int64_t angle_batch_stride;  // Of cos and sin; 0 where all rows share them.
  std::int64_t angle_length_stride;
  bool is_half;
};
void Launch(const RotateCall& call, cudaStream_t stream);

// key and value of one position for each row, into caches [rows, heads, length, dim].
struct StoreCall {
  const void* key;
  const void* value;
  void* keys;
  void* values;
  const std::int64_t* positions;
  std::int64_t rows;
  std::int64_t heads;
  std::int64_t dim;
  std::int64_t key_row_stride;
  std::int64_t key_head_stride;
  std::int64_t value_row_stride;
  std::int64_t value_head_stride;
  std::int64_t cache_row_stride;
  std::int64_t cache_head_stride;
  bool is_half;
};
void Launch(const StoreCall& call, cudaStream_t stream);

// Blocks of 128 of each row of logits. Without `best`: the largest of each block and its place;
// with it: the sums of exp((logit - best) / temperature), and of the same at temperature 1.
struct BlockCall {
  const void* logits;
  const float* best;         // [rows]
  const float* temperature;  // [rows]
  float* block_best;         // [rows, blocks], as all that follow.
  std::int64_t* block_ids;
  double* sums;
  double* plain_sums;
  std::int64_t rows;
  std::int64_t vocab;
  std::int64_t row_stride;
  bool is_half;
};
void Launch(const BlockCall& call, cudaStream_t stream);

}  // namespace hone::llm
