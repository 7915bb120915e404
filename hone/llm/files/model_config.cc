// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/files/model_config.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <system_error>
#include <utility>

#include "hone/base/file.h"

namespace hone::llm {
namespace {

namespace fs = std::filesystem;
using Family = ModelConfig::Family;

constexpr std::size_t kMaxConfigBytes = 4 << 20;
// No product of two lengths and a count of heads or layers is near the end of 64 bits.
constexpr std::int64_t kMaxLength = 1 << 22;
constexpr std::int64_t kMaxLayers = 2000;
constexpr std::int64_t kMaxContext = 1 << 28;
constexpr std::int64_t kQwen3HeadDim = 128;  // transformers takes it where none is given.

struct FamilyRow {
  Family family;
  std::string_view name;
};

constexpr std::array<FamilyRow, 3> kFamilies = {
    {{Family::kQwen2, "qwen2"}, {Family::kQwen3, "qwen3"}, {Family::kLlama, "llama"}}};

const FamilyRow& RowOf(Family family) { return kFamilies.at(static_cast<std::size_t>(family)); }

Error UnsupportedModel(std::string_view what, const std::string& why) {
  return Error{Errc::kUnsupported, fmt::format("{}: {}", what, why)};
}

// A member that is there and not null.
bool IsGiven(JsonReader& reader, std::string_view key) {
  return reader.Has(key) && !reader.At(key).Raw().is_null();
}

std::int64_t LengthAt(JsonReader& reader, std::string_view key, std::int64_t max = kMaxLength) {
  JsonReader member = reader.At(key);
  const std::int64_t length = member.Integer();
  if (length >= 1 && length <= max) return length;
  member.Fail(fmt::format("expected a number from 1 to {}, found {}", max, length));
  return 1;
}

double PositiveAt(JsonReader& reader, std::string_view key) {
  JsonReader member = reader.At(key);
  const double number = member.Number();
  if (std::isfinite(number) && number > 0) return number;
  member.Fail("expected a number over 0");
  return 1;
}

bool FlagAt(JsonReader& reader, std::string_view key, bool otherwise) {
  return IsGiven(reader, key) ? reader.At(key).Bool() : otherwise;
}

std::vector<std::int64_t> IdsAt(JsonReader& reader, std::string_view key) {
  std::vector<std::int64_t> ids;
  if (!IsGiven(reader, key)) return ids;
  JsonReader member = reader.At(key);
  if (!member.Raw().is_array()) return {member.Integer()};
  for (JsonReader& id : member.Items()) ids.push_back(id.Integer());
  return ids;
}

std::optional<std::int64_t> IdAt(JsonReader& reader, std::string_view key) {
  const auto ids = IdsAt(reader, key);
  return ids.empty() ? std::nullopt : std::optional(ids.front());
}

Result<Family> FamilyOf(JsonReader& reader, std::string_view what) {
  const std::string type = reader.At("model_type").String();
  if (auto read = reader.Finish(); !read) return read.error();
  for (const FamilyRow& row : kFamilies) {
    if (row.name == type) return row.family;
  }
  return UnsupportedModel(what, fmt::format("model_type \"{}\" is not supported; there are qwen2 "
                                            "(also Qwen2.5), qwen3 (dense) and llama",
                                            type));
}

// What would be computed differently here is refused.
Result<void> RefuseOthers(JsonReader& reader, std::string_view what) {
  if (IsGiven(reader, "hidden_act") && reader.At("hidden_act").String() != "silu") {
    return UnsupportedModel(what, "hidden_act is not silu");
  }
  if (FlagAt(reader, "use_sliding_window", false)) {
    return UnsupportedModel(what, "use_sliding_window is true; only full attention is supported");
  }
  if (IsGiven(reader, "layer_types")) {
    for (JsonReader& type : reader.At("layer_types").Items()) {
      if (type.String() != "full_attention") {
        return UnsupportedModel(what, "layer_types: only full_attention is supported");
      }
    }
  }
  if (FlagAt(reader, "mlp_bias", false)) {
    return UnsupportedModel(what, "mlp_bias is true, which is not supported");
  }
  if (IsGiven(reader, "quantization_config")) {
    return UnsupportedModel(what,
                            "the weights are quantised (quantization_config); use the folder "
                            "with weights of bf16, fp16 or fp32");
  }
  if (IsGiven(reader, "partial_rotary_factor") &&
      reader.At("partial_rotary_factor").Number() != 1) {
    return UnsupportedModel(what, "partial_rotary_factor is not 1");
  }
  return {};
}

Result<std::optional<RopeScaling>> ReadScaling(JsonReader scaling, std::string_view what) {
  const std::string_view key = scaling.Has("rope_type") ? "rope_type" : "type";
  const std::string type = scaling.Has(key) ? scaling.At(key).String() : "default";
  if (type == "default") return std::optional<RopeScaling>();
  if (type != "llama3") {
    return UnsupportedModel(what, fmt::format("rotary scaling \"{}\" is not supported; there are "
                                              "default and llama3",
                                              type));
  }
  RopeScaling found;
  found.factor = PositiveAt(scaling, "factor");
  found.low_freq_factor = PositiveAt(scaling, "low_freq_factor");
  found.high_freq_factor = PositiveAt(scaling, "high_freq_factor");
  found.original_max_positions = LengthAt(scaling, "original_max_position_embeddings", kMaxContext);
  if (found.high_freq_factor <= found.low_freq_factor) {
    scaling.Fail("high_freq_factor is over low_freq_factor");
  }
  if (auto read = scaling.Finish(); !read) return read.error();
  return std::optional(found);
}

// transformers 4: rope_theta and rope_scaling; transformers 5: rope_parameters with both.
Result<void> ReadRope(JsonReader& reader, std::string_view what, ModelConfig& config) {
  const bool is_newer = IsGiven(reader, "rope_parameters");
  const std::string_view key = is_newer ? "rope_parameters" : "rope_scaling";
  if (IsGiven(reader, "rope_theta")) config.rope_theta = PositiveAt(reader, "rope_theta");
  if (!IsGiven(reader, key)) return {};
  JsonReader rope = reader.At(key);
  if (IsGiven(rope, "rope_theta")) config.rope_theta = PositiveAt(rope, "rope_theta");
  if (IsGiven(rope, "partial_rotary_factor") && rope.At("partial_rotary_factor").Number() != 1) {
    return UnsupportedModel(what, "partial_rotary_factor is not 1");
  }
  const auto scaling = ReadScaling(rope, what);
  if (!scaling) return scaling.error();
  config.rope_scaling = *scaling;
  return {};
}

void ReadLengths(JsonReader& reader, ModelConfig& config) {
  config.vocab_size = LengthAt(reader, "vocab_size");
  config.hidden_size = LengthAt(reader, "hidden_size");
  config.intermediate_size = LengthAt(reader, "intermediate_size");
  config.num_layers = LengthAt(reader, "num_hidden_layers", kMaxLayers);
  config.num_heads = LengthAt(reader, "num_attention_heads");
  config.num_kv_heads = IsGiven(reader, "num_key_value_heads") || config.family != Family::kLlama
                            ? LengthAt(reader, "num_key_value_heads")
                            : config.num_heads;
  config.max_positions = LengthAt(reader, "max_position_embeddings", kMaxContext);
  if (IsGiven(reader, "head_dim")) {
    config.head_dim = LengthAt(reader, "head_dim");
  } else if (config.family == Family::kQwen3) {
    config.head_dim = kQwen3HeadDim;
  } else {
    config.head_dim = config.hidden_size / config.num_heads;
    if (config.head_dim * config.num_heads != config.hidden_size) {
      reader.Fail("hidden_size is no multiple of num_attention_heads, and there is no head_dim");
    }
  }
  if (config.num_heads % config.num_kv_heads != 0) {
    reader.Fail("num_attention_heads is no multiple of num_key_value_heads");
  }
  if (config.head_dim % 2 != 0) reader.Fail("head_dim is odd, and rotary positions need pairs");
  if (config.head_dim * config.num_heads > kMaxLength) reader.Fail("the heads are too large");
}

void ReadBiases(JsonReader& reader, ModelConfig& config) {
  const bool is_given = FlagAt(reader, "attention_bias", false);
  config.attention_bias = config.family == Family::kQwen2 || is_given;
  config.attention_output_bias = config.family != Family::kQwen2 && is_given;
}

void ReadWeightsType(JsonReader& reader, ModelConfig& config) {
  const std::string_view key = IsGiven(reader, "dtype") ? "dtype" : "torch_dtype";
  if (!IsGiven(reader, key)) return;
  JsonReader member = reader.At(key);
  std::string name = member.String();
  if (name.starts_with("torch.")) name.erase(0, 6);
  const auto type = DataTypeOfTorch(name);
  if (!type)
    return member.Fail(fmt::format("\"{}\" is no type of weights that is supported", name));
  config.weights_type = *type;
}

Result<Json> ReadJsonFile(const fs::path& path) {
  const auto text = ReadFile(path, kMaxConfigBytes);
  if (!text) return text.error();
  return ParseJson(*text, path.native());
}

}  // namespace

std::string_view NameOf(Family family) { return RowOf(family).name; }

Result<ModelConfig> ParseModelConfig(const Json& json, std::string_view what) {
  JsonReader reader(json, std::string(what));
  const auto family = FamilyOf(reader, what);
  if (!family) return family.error();
  ModelConfig config;
  config.family = *family;
  if (auto same = RefuseOthers(reader, what); !same) return same.error();
  ReadLengths(reader, config);
  if (IsGiven(reader, "rms_norm_eps")) config.rms_norm_eps = PositiveAt(reader, "rms_norm_eps");
  if (auto read = ReadRope(reader, what, config); !read) return read.error();
  config.tie_word_embeddings = FlagAt(reader, "tie_word_embeddings", false);
  ReadBiases(reader, config);
  ReadWeightsType(reader, config);
  config.eos_token_ids = IdsAt(reader, "eos_token_id");
  config.bos_token_id = IdAt(reader, "bos_token_id");
  config.pad_token_id = IdAt(reader, "pad_token_id");
  if (auto read = reader.Finish(); !read) return read.error();
  return config;
}

Result<ModelConfig> ReadModelConfig(const fs::path& folder) {
  const fs::path path = folder / "config.json";
  const auto json = ReadJsonFile(path);
  if (!json && json.error().code == Errc::kNotFound) {
    return Error{Errc::kNotFound, fmt::format("{}: no config.json: this is no folder of a model in "
                                              "Hugging Face's form",
                                              folder.native())};
  }
  if (!json) return json.error();
  auto config = ParseModelConfig(*json, path.native());
  if (!config) return config.error();
  const auto generation = ReadGenerationConfig(folder);
  if (!generation) return generation.error();
  if (!generation->eos_token_ids.empty()) config->eos_token_ids = generation->eos_token_ids;
  if (generation->bos_token_id) config->bos_token_id = generation->bos_token_id;
  if (generation->pad_token_id) config->pad_token_id = generation->pad_token_id;
  return config;
}

Result<GenerationConfig> ReadGenerationConfig(const fs::path& folder) {
  const fs::path path = folder / "generation_config.json";
  GenerationConfig config;
  std::error_code fault;
  if (!fs::exists(path, fault)) return config;
  const auto json = ReadJsonFile(path);
  if (!json) return json.error();
  JsonReader reader(*json, path.native());
  config.eos_token_ids = IdsAt(reader, "eos_token_id");
  config.bos_token_id = IdAt(reader, "bos_token_id");
  config.pad_token_id = IdAt(reader, "pad_token_id");
  config.do_sample = FlagAt(reader, "do_sample", false);
  const auto number = [&](std::string_view key, double& target) {
    if (IsGiven(reader, key)) target = reader.At(key).Number();
  };
  number("temperature", config.temperature);
  number("top_p", config.top_p);
  number("repetition_penalty", config.repetition_penalty);
  if (IsGiven(reader, "top_k")) config.top_k = reader.At("top_k").Integer();
  if (auto read = reader.Finish(); !read) return read.error();
  return config;
}

}  // namespace hone::llm
