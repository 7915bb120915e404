// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/llm/files/model_config.h"

namespace hone::llm {

// A model of a family with every part that it has, small enough for a unit test.
inline ModelConfig TinyModel(ModelConfig::Family family, bool is_tied = true) {
  ModelConfig config;
  config.family = family;
  config.vocab_size = 200;
  config.hidden_size = 32;
  config.intermediate_size = 48;
  config.num_layers = 3;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.head_dim = 16;
  config.max_positions = 512;
  config.tie_word_embeddings = is_tied;
  config.attention_bias = family == ModelConfig::Family::kQwen2;
  if (family == ModelConfig::Family::kLlama) config.rope_scaling = RopeScaling{8, 1, 4, 32};
  config.eos_token_ids = {2};
  return config;
}

}  // namespace hone::llm
