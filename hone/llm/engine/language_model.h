// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "hone/core/result.h"
#include "hone/llm/engine/placement.h"
#include "hone/llm/files/lora.h"
#include "hone/llm/files/model_config.h"
#include "hone/llm/serve/engine_words.h"

namespace hone::llm {

class Model;

// A model with its weights, for those who need not see torch.
class LanguageModel {
 public:
  // From a folder of Hugging Face. Weights that are on the processor, in the type of the file, are
  // the file's own pages; others are copied once.
  static Result<LanguageModel> Open(const std::filesystem::path& folder,
                                    const Placement& placement);

  LanguageModel(LanguageModel&&) noexcept;
  LanguageModel& operator=(LanguageModel&&) noexcept;
  ~LanguageModel();

  const ModelConfig& config() const;
  const Placement& placement() const;
  const Model& model() const { return *model_; }

  // Logits of every position in one pass, in fp32, row by row. Only for ids of the vocabulary.
  std::vector<float> Logits(std::span<const TokenId> ids) const;

  // W becomes W + scale B A.
  Result<void> Merge(const LoraAdapter& adapter);

  // A folder that transformers loads; the tokenizer's files are the caller's.
  Result<void> Save(const std::filesystem::path& folder) const;

 private:
  explicit LanguageModel(std::unique_ptr<Model> model);

  std::unique_ptr<Model> model_;
};

}  // namespace hone::llm
