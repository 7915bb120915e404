// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/llm/files/model_config.h"
#include "hone/llm/files/safetensors.h"

namespace hone::llm {

// adapter_config.json of PEFT's LoRA, as far as it says how an adapter is computed:
// y = W x + scale() B (A x).
struct LoraConfig {
  std::int64_t rank = 8;
  double alpha = 8;
  double dropout = 0;
  bool uses_rslora = false;  // alpha / sqrt(rank) instead of alpha / rank.
  std::vector<std::string> target_modules = {"q_proj", "v_proj"};
  std::string base_model = {};  // Where the base model is, as whoever made it knew it.

  double scale() const;
};

// One adapted matrix. `module` is the path of the weight in the model, without ".weight":
// "model.layers.0.self_attn.q_proj".
struct LoraPair {
  std::string module;
  TensorView a;  // [rank, in]
  TensorView b;  // [out, rank]
};

// An adapter's folder, mapped; the views live as long as this.
class LoraAdapter {
 public:
  // Kinds of adapters that would be computed differently here (DoRA, biases, ranks by pattern,
  // modules saved whole) are errors that name them.
  static Result<LoraAdapter> Open(const std::filesystem::path& folder);

  const LoraConfig& config() const { return config_; }
  const std::vector<LoraPair>& pairs() const { return pairs_; }  // Sorted by module.

 private:
  LoraAdapter(LoraConfig config, SafetensorsFile file)
      : config_(std::move(config)), file_(std::move(file)) {}
  Result<void> Pair(std::string_view what);

  LoraConfig config_;
  SafetensorsFile file_;
  std::vector<LoraPair> pairs_;
};

// Whether every pair fits a matrix of this model.
Result<void> CheckFits(const LoraAdapter& adapter, const ModelConfig& model);

// "base_model.model." + module + ".lora_A.weight" and the same with B.
std::string LoraNameA(std::string_view module);
std::string LoraNameB(std::string_view module);

Result<LoraConfig> ParseLoraConfig(const Json& json, std::string_view what);
Json ToJson(const LoraConfig& config);

// Writes both files; PEFT loads them. The names inside the views do not matter.
Result<void> WriteLora(const std::filesystem::path& folder, const LoraConfig& config,
                       std::span<const LoraPair> pairs);

}  // namespace hone::llm
