// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/files/lora.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "hone/base/file.h"
#include "hone/llm/files/model_tensors.h"

namespace hone::llm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxAdapterConfig = 4 << 20;
constexpr std::int64_t kMaxRank = 1 << 16;
constexpr std::string_view kAdapterConfig = "adapter_config.json";
constexpr std::string_view kAdapterWeights = "adapter_model.safetensors";
constexpr std::string_view kPrefix = "base_model.model.";
constexpr std::string_view kSuffixA = ".lora_A.weight";
constexpr std::string_view kSuffixB = ".lora_B.weight";

// Members that change what is computed; each must say that it does not.
constexpr std::string_view kOffSwitches[] = {"use_dora", "fan_in_fan_out", "lora_bias",
                                             "use_qalora"};
constexpr std::string_view kEmptyMembers[] = {
    "rank_pattern",      "alpha_pattern",           "modules_to_save",
    "layer_replication", "trainable_token_indices", "target_parameters"};

bool IsNothing(const Json& json) { return json.is_null() || json == false || json.empty(); }

Error UnsupportedAdapter(std::string_view what, std::string_view member) {
  return Error{Errc::kUnsupported,
               fmt::format("{}: {} is set, and adapters with it are not supported", what, member)};
}

Result<void> RefuseOtherAdapters(const Json& json, std::string_view what) {
  for (const std::string_view member : kOffSwitches) {
    if (json.contains(member) && !IsNothing(json[std::string(member)])) {
      return UnsupportedAdapter(what, member);
    }
  }
  for (const std::string_view member : kEmptyMembers) {
    if (json.contains(member) && !IsNothing(json[std::string(member)])) {
      return UnsupportedAdapter(what, member);
    }
  }
  if (json.contains("bias") && json["bias"] != "none") return UnsupportedAdapter(what, "bias");
  return {};
}

std::vector<std::string> ReadTargets(JsonReader member) {
  if (member.Raw().is_string()) return {member.String()};
  std::vector<std::string> targets;
  for (JsonReader& target : member.Items()) targets.push_back(target.String());
  std::sort(targets.begin(), targets.end());
  return targets;
}

std::string_view ModuleOf(std::string_view name, std::string_view suffix) {
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(suffix.size());
  return name;
}

}  // namespace

double LoraConfig::scale() const {
  const auto size = static_cast<double>(rank);
  return alpha / (uses_rslora ? std::sqrt(size) : size);
}

std::string LoraNameA(std::string_view module) {
  return fmt::format("{}{}{}", kPrefix, module, kSuffixA);
}

std::string LoraNameB(std::string_view module) {
  return fmt::format("{}{}{}", kPrefix, module, kSuffixB);
}

Result<LoraConfig> ParseLoraConfig(const Json& json, std::string_view what) {
  JsonReader reader(json, std::string(what));
  LoraConfig config;
  if (reader.At("peft_type").String() != "LORA") reader.Fail("peft_type: only LORA is supported");
  config.rank = reader.At("r").Integer();
  if (config.rank < 1 || config.rank > kMaxRank) {
    reader.Fail(fmt::format("r: expected a number from 1 to {}", kMaxRank));
  }
  const auto given = [&](std::string_view key) {
    return reader.Has(key) && !reader.At(key).Raw().is_null();
  };
  if (given("lora_alpha")) config.alpha = reader.At("lora_alpha").Number();
  if (given("lora_dropout")) config.dropout = reader.At("lora_dropout").Number();
  if (given("use_rslora")) config.uses_rslora = reader.At("use_rslora").Bool();
  config.target_modules = ReadTargets(reader.At("target_modules"));
  if (given("base_model_name_or_path")) {
    config.base_model = reader.At("base_model_name_or_path").String();
  }
  if (auto read = reader.Finish(); !read) return read.error();
  if (auto same = RefuseOtherAdapters(json, what); !same) return same.error();
  return config;
}

Json ToJson(const LoraConfig& config) {
  return {{"peft_type", "LORA"},
          {"task_type", "CAUSAL_LM"},
          {"base_model_name_or_path", config.base_model},
          {"r", config.rank},
          {"lora_alpha", config.alpha},
          {"lora_dropout", config.dropout},
          {"bias", "none"},
          {"target_modules", config.target_modules},
          {"fan_in_fan_out", false},
          {"use_rslora", config.uses_rslora},
          {"use_dora", false},
          {"modules_to_save", nullptr},
          {"rank_pattern", Json::object()},
          {"alpha_pattern", Json::object()},
          {"layers_to_transform", nullptr},
          {"layers_pattern", nullptr},
          {"init_lora_weights", true},
          {"inference_mode", true},
          {"revision", nullptr}};
}

Result<LoraAdapter> LoraAdapter::Open(const fs::path& folder) {
  const fs::path config_path = folder / kAdapterConfig;
  const auto text = ReadFile(config_path, kMaxAdapterConfig);
  if (!text && text.error().code == Errc::kNotFound) {
    return Error{Errc::kNotFound, fmt::format("{}: no {}: this is no folder of a PEFT adapter",
                                              folder.native(), kAdapterConfig)};
  }
  if (!text) return text.error();
  const auto json = ParseJson(*text, config_path.native());
  if (!json) return json.error();
  auto config = ParseLoraConfig(*json, config_path.native());
  if (!config) return config.error();
  const fs::path weights = folder / kAdapterWeights;
  auto file = SafetensorsFile::Open(weights);
  if (!file) return file.error();
  LoraAdapter adapter(std::move(*config), std::move(*file));
  if (auto paired = adapter.Pair(weights.native()); !paired) return paired.error();
  return adapter;
}

Result<void> LoraAdapter::Pair(std::string_view what) {
  std::map<std::string, std::pair<const TensorView*, const TensorView*>> modules;
  for (const TensorView& tensor : file_.tensors()) {
    const std::string_view name = tensor.name;
    if (name.starts_with(kPrefix) && name.ends_with(kSuffixA)) {
      modules[std::string(ModuleOf(name, kSuffixA))].first = &tensor;
    } else if (name.starts_with(kPrefix) && name.ends_with(kSuffixB)) {
      modules[std::string(ModuleOf(name, kSuffixB))].second = &tensor;
    } else {
      return Error{
          Errc::kUnsupported,
          fmt::format("{}: tensor {} is not of a LoRA adapter that is supported", what, name)};
    }
  }
  for (const auto& [module, sides] : modules) {
    if (sides.first == nullptr || sides.second == nullptr) {
      return Error{Errc::kCorrupt,
                   fmt::format("{}: {} has only one of lora_A and lora_B", what, module)};
    }
    const auto& a = sides.first->shape;
    const auto& b = sides.second->shape;
    if (a.size() != 2 || b.size() != 2 || a[0] != config_.rank || b[1] != config_.rank) {
      return Error{Errc::kCorrupt,
                   fmt::format("{}: {}: shapes {} and {} are not those of rank {}", what, module,
                               ShapeText(a), ShapeText(b), config_.rank)};
    }
    pairs_.push_back({module, *sides.first, *sides.second});
  }
  return {};
}

Result<void> CheckFits(const LoraAdapter& adapter, const ModelConfig& model) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (TensorShape& tensor : TensorsOf(model)) shapes[tensor.name] = std::move(tensor.shape);
  for (const LoraPair& pair : adapter.pairs()) {
    const auto found = shapes.find(pair.module + ".weight");
    if (found == shapes.end() || found->second.size() != 2) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("adapter: {} is no matrix of this model", pair.module)};
    }
    const std::vector<std::int64_t> adapted = {pair.b.shape[0], pair.a.shape[1]};
    if (adapted != found->second) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("adapter: {} is made for a matrix of {}, and this model's is {}",
                               pair.module, ShapeText(adapted), ShapeText(found->second))};
    }
  }
  return {};
}

Result<void> WriteLora(const fs::path& folder, const LoraConfig& config,
                       std::span<const LoraPair> pairs) {
  if (auto made = MakeFolder(folder); !made) return made;
  std::vector<TensorView> tensors;
  for (const LoraPair& pair : pairs) {
    tensors.push_back(pair.a);
    tensors.back().name = LoraNameA(pair.module);
    tensors.push_back(pair.b);
    tensors.back().name = LoraNameB(pair.module);
  }
  if (auto written = WriteSafetensors(folder / kAdapterWeights, tensors); !written) return written;
  return WriteFileDurably(folder / kAdapterConfig, ToJson(config).dump(2) + "\n");
}

}  // namespace hone::llm
