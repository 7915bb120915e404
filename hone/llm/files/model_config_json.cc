// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/files/model_config.h"

namespace hone::llm {
namespace {

std::string_view ArchitectureOf(ModelConfig::Family family) {
  switch (family) {
    case ModelConfig::Family::kQwen2:
      return "Qwen2ForCausalLM";
    case ModelConfig::Family::kQwen3:
      return "Qwen3ForCausalLM";
    case ModelConfig::Family::kLlama:
      break;
  }
  return "LlamaForCausalLM";
}

Json IdsJson(const std::vector<std::int64_t>& ids) {
  if (ids.empty()) return nullptr;
  return ids.size() == 1 ? Json(ids.front()) : Json(ids);
}

Json IdJson(const std::optional<std::int64_t>& id) { return id ? Json(*id) : Json(nullptr); }

Json ScalingJson(const std::optional<RopeScaling>& scaling) {
  if (!scaling) return nullptr;
  return {{"rope_type", "llama3"},
          {"factor", scaling->factor},
          {"low_freq_factor", scaling->low_freq_factor},
          {"high_freq_factor", scaling->high_freq_factor},
          {"original_max_position_embeddings", scaling->original_max_positions}};
}

}  // namespace

// In the older spelling, which both versions read.
Json ToJson(const ModelConfig& config) {
  Json json = {{"architectures", {ArchitectureOf(config.family)}},
               {"model_type", NameOf(config.family)},
               {"vocab_size", config.vocab_size},
               {"hidden_size", config.hidden_size},
               {"intermediate_size", config.intermediate_size},
               {"num_hidden_layers", config.num_layers},
               {"num_attention_heads", config.num_heads},
               {"num_key_value_heads", config.num_kv_heads},
               {"head_dim", config.head_dim},
               {"max_position_embeddings", config.max_positions},
               {"hidden_act", "silu"},
               {"rms_norm_eps", config.rms_norm_eps},
               {"rope_theta", config.rope_theta},
               {"rope_scaling", ScalingJson(config.rope_scaling)},
               {"tie_word_embeddings", config.tie_word_embeddings},
               {"attention_dropout", 0.0},
               {"initializer_range", 0.02},
               {"use_cache", true},
               {"eos_token_id", IdsJson(config.eos_token_ids)},
               {"bos_token_id", IdJson(config.bos_token_id)},
               {"pad_token_id", IdJson(config.pad_token_id)},
               {"torch_dtype", TorchNameOf(config.weights_type)}};
  if (config.family == ModelConfig::Family::kLlama) {
    json["mlp_bias"] = false;
  } else {
    json["use_sliding_window"] = false;
  }
  // Qwen2 has its biases whatever the file says, and transformers knows no such member of it.
  if (config.family != ModelConfig::Family::kQwen2) {
    json["attention_bias"] = config.attention_bias;
  }
  return json;
}

Json ToJson(const GenerationConfig& config) {
  return {{"eos_token_id", IdsJson(config.eos_token_ids)},
          {"bos_token_id", IdJson(config.bos_token_id)},
          {"pad_token_id", IdJson(config.pad_token_id)},
          {"do_sample", config.do_sample},
          {"temperature", config.temperature},
          {"top_p", config.top_p},
          {"top_k", config.top_k},
          {"repetition_penalty", config.repetition_penalty}};
}

}  // namespace hone::llm
