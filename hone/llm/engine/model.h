// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hone/core/result.h"
#include "hone/llm/engine/placement.h"
#include "hone/llm/engine/torch.h"
#include "hone/llm/files/checkpoint.h"
#include "hone/llm/files/model_config.h"

namespace hone::llm {

// Matrices of one input. On a GPU they are one matrix, so that they are one launch.
struct Projections {
  std::vector<at::Tensor> weights;  // [out, in], one for each output, or one for all.
  std::vector<at::Tensor> biases;   // As many, or none.
  std::vector<std::int64_t> sizes;  // Of the outputs.

  std::vector<at::Tensor> operator()(const at::Tensor& x) const;
};

struct Layer {
  at::Tensor input_norm;
  Projections query_key_value;
  at::Tensor query_norm;  // Undefined where the family has none; so is key_norm.
  at::Tensor key_norm;
  Projections output;
  at::Tensor middle_norm;
  Projections gate_up;
  Projections down;
};

// What a pass has besides the tokens.
struct PassContext {
  at::Tensor cos;  // [batch or 1, 1, length, head_dim]
  at::Tensor sin;
  // From queries [batch, heads, length, dim] and the new keys and values [batch, kv_heads, length,
  // dim] of a layer to what the queries see, in the queries' shape.
  std::function<at::Tensor(std::int64_t layer, const at::Tensor& query, const at::Tensor& key,
                           const at::Tensor& value)>
      attend;
};

// A pre-norm decoder with rotary positions, grouped queries and SwiGLU: Qwen2, Qwen3, Llama 3.
class Model {
 public:
  static Result<std::unique_ptr<Model>> Load(ModelConfig config, Checkpoint weights,
                                             const Placement& placement);

  const ModelConfig& config() const { return config_; }
  const Placement& placement() const { return placement_; }
  at::TensorOptions options() const { return embedding_.options(); }

  // Of ids [batch, length]: the last hidden states, normed, [batch, length, hidden].
  at::Tensor Hidden(const at::Tensor& ids, const PassContext& context) const;
  at::Tensor Logits(const at::Tensor& hidden) const { return at::linear(hidden, head_); }

  // Cosines and sines of the positions 0 … count - 1, [count, head_dim], in the weights' type.
  std::pair<at::Tensor, at::Tensor> RotaryTables(std::int64_t count) const;

  // All logits of ids [batch, length] without a cache; gradients flow where they are wanted.
  at::Tensor OnePass(const at::Tensor& ids) const;

  // The matrices by transformers' names, as views of what is computed with: writing to one changes
  // the model.
  std::vector<std::pair<std::string, at::Tensor>> Named() const;

  // Makes every weight writable: those that are a file's pages are copied.
  void Own();

 private:
  Model(ModelConfig config, Checkpoint weights, const Placement& placement);
  Result<void> Fill();
  Result<at::Tensor> Take(const std::string& name, std::vector<std::int64_t> shape) const;
  Result<Projections> TakeAll(const std::string& prefix, const std::vector<std::string>& names,
                              const std::vector<std::int64_t>& sizes, std::int64_t inputs,
                              bool has_bias) const;
  Result<Layer> TakeLayer(std::int64_t number) const;
  at::Tensor Attend(const Layer& layer, std::int64_t number, const at::Tensor& x,
                    const PassContext& context) const;

  ModelConfig config_;
  Checkpoint weights_;  // Its pages may be the tensors.
  Placement placement_;
  at::Tensor embedding_;
  at::Tensor norm_;
  at::Tensor head_;
  std::vector<Layer> layers_;
};

at::ScalarType ScalarTypeOf(DataType type);
at::Device DeviceOf(const Placement& placement);

}  // namespace hone::llm
