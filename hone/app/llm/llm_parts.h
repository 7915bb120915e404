// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/llm/openai/text_model.h"
#include "hone/llm/serve/engine_process.h"

namespace hone::app {

// A model to be run: what the flags of `hone llm` say.
struct LlmPlan {
  std::filesystem::path folder;
  std::string name;    // By which clients call it; the folder's if empty.
  std::string device;  // "cpu", "cuda"; empty: the GPU if there is one.
  std::string type;    // "f32", "bf16"; empty: bf16 on a GPU, else f32.
  std::filesystem::path adapter;
  std::int64_t rows = 16;
  std::int64_t length = 4096;
  std::optional<std::int64_t> threads;
};

struct LlmParts {
  std::unique_ptr<llm::TextModel> text;
  std::unique_ptr<llm::EngineProcess> engine;
};

// Reads the tokenizer and starts hone-llm, which loads the weights.
Result<LlmParts> OpenLlm(const LlmPlan& plan);

// A model that has learnt nothing, with a tokenizer of its own.
struct NewLlm {
  std::filesystem::path folder;
  std::vector<std::filesystem::path> corpus;  // Files, and folders of them.
  std::string family = "qwen2";               // "qwen2", "qwen3", "llama".
  std::int64_t vocab = 4096;
  std::int64_t hidden = 256;
  std::int64_t layers = 4;
  std::int64_t heads = 4;
  std::int64_t length = 2048;
  std::uint64_t seed = 1;
  bool is_half = false;
};

struct MadeLlm {
  std::int64_t parameters = 0;
  std::size_t vocab = 0;
  std::size_t corpus_bytes = 0;
};

// kConflict if the folder has a model already.
Result<MadeLlm> MakeLlm(const NewLlm& wanted);

}  // namespace hone::app
