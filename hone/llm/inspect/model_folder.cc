// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/inspect/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "hone/llm/files/checkpoint.h"
#include "hone/llm/files/model_tensors.h"
#include "hone/llm/text/chat_template.h"
#include "hone/llm/text/tokenizer.h"

namespace hone::llm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxNamed = 10;  // Of problems of one kind.

void CheckTensors(const Checkpoint& checkpoint, const ModelConfig& config, ModelFolder& found) {
  std::vector<std::string> problems;
  std::set<std::string> expected;
  for (const TensorShape& tensor : TensorsOf(config)) {
    expected.insert(tensor.name);
    const auto got = checkpoint.Get(tensor.name, tensor.shape);
    if (!got) problems.push_back(got.error().message);
  }
  const bool may_have_head = config.tie_word_embeddings;
  for (const std::string& name : checkpoint.names()) {
    if (expected.contains(name) || (may_have_head && name == "lm_head.weight")) continue;
    found.notes.push_back(fmt::format("tensor {} is not used", name));
    if (found.notes.size() == kMaxNamed) break;
  }
  const std::size_t named = std::min(problems.size(), kMaxNamed);
  found.problems.insert(found.problems.end(), problems.begin(),
                        problems.begin() + static_cast<std::ptrdiff_t>(named));
  if (problems.size() > named) {
    found.problems.push_back(
        fmt::format("{} more tensors are missing or have other shapes", problems.size() - named));
  }
}

void InspectWeights(const fs::path& folder, ModelFolder& found) {
  const auto checkpoint = Checkpoint::Open(folder);
  if (!checkpoint) {
    found.problems.push_back(checkpoint.error().message);
    return;
  }
  found.weight_bytes = checkpoint->bytes();
  found.weight_files = checkpoint->file_count();
  found.tensors = checkpoint->names().size();
  if (found.config) CheckTensors(*checkpoint, *found.config, found);
}

void InspectTokenizer(const fs::path& folder, ModelFolder& found) {
  const auto tokenizer = Tokenizer::Read(folder / "tokenizer.json");
  if (!tokenizer) {
    found.problems.push_back(tokenizer.error().message);
    return;
  }
  found.tokenizer_size = tokenizer->vocab_size();
  const auto rows = found.config ? found.config->vocab_size : 0;
  if (found.config && static_cast<std::int64_t>(*found.tokenizer_size) > rows) {
    found.problems.push_back(
        fmt::format("{}: the tokenizer has ids up to {}, and the model {} rows", folder.native(),
                    *found.tokenizer_size - 1, rows));
  }
}

void InspectTemplate(const fs::path& folder, ModelFolder& found) {
  const auto chat_template = ChatTemplate::Read(folder);
  found.has_chat_template = chat_template.has_value();
  if (chat_template) return;
  const bool is_missing = chat_template.error().code == Errc::kNotFound;
  (is_missing ? found.notes : found.problems).push_back(chat_template.error().message);
}

Json ConfigJson(const ModelConfig& config) {
  return {{"family", NameOf(config.family)},
          {"layers", config.num_layers},
          {"hidden_size", config.hidden_size},
          {"intermediate_size", config.intermediate_size},
          {"heads", config.num_heads},
          {"kv_heads", config.num_kv_heads},
          {"head_dim", config.head_dim},
          {"vocab_size", config.vocab_size},
          {"max_positions", config.max_positions},
          {"tie_word_embeddings", config.tie_word_embeddings},
          {"weights_type", TorchNameOf(config.weights_type)},
          {"eos_token_ids", config.eos_token_ids}};
}

}  // namespace

ModelFolder InspectModelFolder(const fs::path& folder) {
  ModelFolder found;
  std::error_code fault;
  if (!fs::is_directory(folder, fault)) {
    found.problems.push_back(fmt::format("{}: no such folder", folder.native()));
    return found;
  }
  const auto config = ReadModelConfig(folder);
  if (config) {
    found.config = *config;
    found.parameters = ParameterCount(*config);
  } else {
    found.problems.push_back(config.error().message);
  }
  InspectWeights(folder, found);
  InspectTokenizer(folder, found);
  InspectTemplate(folder, found);
  return found;
}

Json ToJson(const ModelFolder& folder) {
  return {{"config", folder.config ? ConfigJson(*folder.config) : Json(nullptr)},
          {"parameters", folder.parameters},
          {"weights",
           {{"bytes", folder.weight_bytes},
            {"files", folder.weight_files},
            {"tensors", folder.tensors}}},
          {"tokenizer", folder.tokenizer_size ? Json(*folder.tokenizer_size) : Json(nullptr)},
          {"chat_template", folder.has_chat_template},
          {"problems", folder.problems},
          {"notes", folder.notes}};
}

}  // namespace hone::llm
