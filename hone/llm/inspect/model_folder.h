// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/llm/files/model_config.h"

namespace hone::llm {

// What is in a model's folder, and what is wrong with it. Whatever can be read is, also where
// another part cannot.
struct ModelFolder {
  std::optional<ModelConfig> config;
  std::int64_t parameters = 0;  // By the configuration.
  std::size_t weight_bytes = 0;
  std::size_t weight_files = 0;
  std::size_t tensors = 0;
  std::optional<std::size_t> tokenizer_size;  // Ids of the tokenizer.
  bool has_chat_template = false;
  std::vector<std::string> problems;  // Each keeps the model from being used as it is.
  std::vector<std::string> notes;     // What is missing, and is needed for some uses only.
};

ModelFolder InspectModelFolder(const std::filesystem::path& folder);

Json ToJson(const ModelFolder& folder);

}  // namespace hone::llm
