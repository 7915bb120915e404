// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/llm/files/data_type.h"

namespace hone::llm {

// Rotary frequencies of Llama 3.1 and later: wavelengths over original_max_positions /
// low_freq_factor are divided by factor, those under … / high_freq_factor stay, in between both are
// mixed.
struct RopeScaling {
  double factor = 8;
  double low_freq_factor = 1;
  double high_freq_factor = 4;
  std::int64_t original_max_positions = 8192;
};

// The shape of a model, from its config.json. Every model of these families is a pre-norm decoder
// with SwiGLU, rotary positions (half-split) and grouped queries.
struct ModelConfig {
  enum class Family { kQwen2, kQwen3, kLlama };

  Family family = Family::kQwen2;
  std::int64_t vocab_size = 0;  // Rows of the embedding; the tokenizer may use fewer.
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_layers = 0;
  std::int64_t num_heads = 0;
  std::int64_t num_kv_heads = 0;
  std::int64_t head_dim = 0;  // Not always hidden_size / num_heads.
  std::int64_t max_positions = 0;
  double rms_norm_eps = 1e-6;
  double rope_theta = 10'000;
  std::optional<RopeScaling> rope_scaling = std::nullopt;
  bool tie_word_embeddings = false;
  bool attention_bias = false;                   // On q, k and v.
  bool attention_output_bias = false;            // On o.
  std::vector<std::int64_t> eos_token_ids = {};  // generation_config.json goes before config.json.
  std::optional<std::int64_t> bos_token_id = std::nullopt;
  std::optional<std::int64_t> pad_token_id = std::nullopt;
  DataType weights_type = DataType::kF32;

  // RMS norm over head_dim on q and k, before the rotation.
  bool has_query_norm() const { return family == Family::kQwen3; }
};

// How its makers sample from it, from generation_config.json; all of it is optional there.
struct GenerationConfig {
  std::vector<std::int64_t> eos_token_ids = {};
  std::optional<std::int64_t> bos_token_id = std::nullopt;
  std::optional<std::int64_t> pad_token_id = std::nullopt;
  bool do_sample = false;
  double temperature = 1;
  double top_p = 1;
  std::int64_t top_k = 0;  // 0: all.
  double repetition_penalty = 1;
};

std::string_view NameOf(ModelConfig::Family family);  // As model_type spells it: "qwen3".

// From a folder's config.json and, where it has one, generation_config.json. What this program
// would compute differently from transformers (other architectures, sliding windows, other rotary
// scalings, quantised weights) is an Error that names it. Both the older and the newer spellings of
// transformers are read.
Result<ModelConfig> ReadModelConfig(const std::filesystem::path& folder);
Result<ModelConfig> ParseModelConfig(const Json& config, std::string_view what);

// The defaults if the folder has no generation_config.json.
Result<GenerationConfig> ReadGenerationConfig(const std::filesystem::path& folder);

// A config.json that transformers 4 and 5 load as the same model.
Json ToJson(const ModelConfig& config);
Json ToJson(const GenerationConfig& config);

}  // namespace hone::llm
