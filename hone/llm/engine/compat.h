// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "hone/llm/engine/torch.h"

// What differs between the versions of torch that this compiles with, and between the processor and
// CUDA. Everything else in the engine is the same for all of them.
namespace hone::llm {

// Queries [batch, heads, length, dim] see the keys and values [batch, kv_heads, length, dim] of
// their own and earlier positions.
at::Tensor CausalAttention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value);

// One query for each row, [batch, heads, 1, dim], sees the first positions of a cache
// [batch, kv_heads, length, dim]. `mask` [batch, 1, 1, length] is added: 0, or minus infinity.
at::Tensor CachedAttention(const at::Tensor& query, const at::Tensor& keys,
                           const at::Tensor& values, const at::Tensor& mask);

// x / sqrt(mean(x^2) + eps) in fp32, rounded to the type of x, times weight; over the last
// dimension.
at::Tensor RmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps);

// x + delta, and its norm.
struct AddedNorm {
  at::Tensor sum;
  at::Tensor norm;
};
AddedNorm AddRmsNorm(const at::Tensor& x, const at::Tensor& delta, const at::Tensor& weight,
                     double eps);

// silu(gate) * up
at::Tensor SwiGlu(const at::Tensor& gate, const at::Tensor& up);

// x cos + rotate_half(x) sin, where rotate_half is (-second half, first half). x is
// [batch, heads, length, dim]; cos and sin [batch or 1, 1, length, dim].
at::Tensor Rotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin);

// key and value [rows, kv_heads, 1, dim] go to their row's position in keys and values
// [rows, kv_heads, length, dim].
void StoreAt(at::Tensor& keys, at::Tensor& values, const at::Tensor& key, const at::Tensor& value,
             const at::Tensor& positions);

inline constexpr std::int64_t kVocabBlock = 128;

// A distribution over the vocabulary as far as drawing from it needs it, from logits [rows, vocab]
// without a copy of them.
struct BlockWeights {
  at::Tensor best;       // [rows], fp32: the largest logit.
  at::Tensor best_id;    // [rows]
  at::Tensor sums;       // [rows, blocks], fp64: of exp((logit - best) / temperature), by blocks.
  at::Tensor log_total;  // [rows], fp32: the logarithm of the sum of exp(logit).
};
BlockWeights WeighBlocks(const at::Tensor& logits, const at::Tensor& temperature);

// Work that is recorded once and then replayed without its single launches. On the processor it is
// simply run.
class StepGraph {
 public:
  virtual ~StepGraph() = default;

  // Calls `work`, or replays what it did: always the same, on the same tensors, with no shape and
  // no decision that depends on values.
  virtual void Run(const std::function<void()>& work) = 0;
};
std::unique_ptr<StepGraph> MakeStepGraph(bool is_on_gpu, bool is_recorded);

// Work of this thread goes to a stream of its own while this lives; graphs cannot be recorded on
// the one that all share.
class StreamScope {
 public:
  explicit StreamScope(bool is_on_gpu);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Waits for what was started on the device.
void AwaitDevice(bool is_on_gpu);

}  // namespace hone::llm
