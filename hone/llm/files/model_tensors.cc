// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/files/model_tensors.h"

#include <fmt/format.h>

namespace hone::llm {
namespace {

void AddLayer(const ModelConfig& config, std::int64_t number, std::vector<TensorShape>& tensors) {
  const std::string layer = fmt::format("model.layers.{}.", number);
  const std::int64_t hidden = config.hidden_size;
  const std::int64_t queries = config.num_heads * config.head_dim;
  const std::int64_t keys = config.num_kv_heads * config.head_dim;
  const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
    tensors.push_back({layer + name, std::move(shape)});
  };
  add("input_layernorm.weight", {hidden});
  add("self_attn.q_proj.weight", {queries, hidden});
  add("self_attn.k_proj.weight", {keys, hidden});
  add("self_attn.v_proj.weight", {keys, hidden});
  add("self_attn.o_proj.weight", {hidden, queries});
  if (config.attention_bias) {
    add("self_attn.q_proj.bias", {queries});
    add("self_attn.k_proj.bias", {keys});
    add("self_attn.v_proj.bias", {keys});
  }
  if (config.attention_output_bias) add("self_attn.o_proj.bias", {hidden});
  if (config.has_query_norm()) {
    add("self_attn.q_norm.weight", {config.head_dim});
    add("self_attn.k_norm.weight", {config.head_dim});
  }
  add("post_attention_layernorm.weight", {hidden});
  add("mlp.gate_proj.weight", {config.intermediate_size, hidden});
  add("mlp.up_proj.weight", {config.intermediate_size, hidden});
  add("mlp.down_proj.weight", {hidden, config.intermediate_size});
}

}  // namespace

std::vector<TensorShape> TensorsOf(const ModelConfig& config) {
  std::vector<TensorShape> tensors;
  tensors.push_back({"model.embed_tokens.weight", {config.vocab_size, config.hidden_size}});
  for (std::int64_t k = 0; k < config.num_layers; ++k) AddLayer(config, k, tensors);
  tensors.push_back({"model.norm.weight", {config.hidden_size}});
  if (!config.tie_word_embeddings) {
    tensors.push_back({"lm_head.weight", {config.vocab_size, config.hidden_size}});
  }
  return tensors;
}

std::int64_t ParameterCount(const ModelConfig& config) {
  std::int64_t count = 0;
  for (const TensorShape& tensor : TensorsOf(config)) {
    std::int64_t elements = 1;
    for (const std::int64_t length : tensor.shape) elements *= length;
    count += elements;
  }
  return count;
}

}  // namespace hone::llm
