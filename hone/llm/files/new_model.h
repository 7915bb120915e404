// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "hone/core/result.h"
#include "hone/llm/files/model_config.h"

namespace hone::llm {

// How the weights of a model that has learnt nothing are drawn.
struct NewWeights {
  std::uint64_t seed = 1;
  double deviation = 0.02;  // Of matrices; norms are 1 and biases 0.
  bool varies_all = false;  // Norms and biases vary too: for tests, in which each must matter.
};

// A folder with config.json, generation_config.json and weights in config.weights_type (F32 or
// BF16), as transformers reads it. The same seed gives the same bytes on every machine.
Result<void> WriteNewModel(const std::filesystem::path& folder, const ModelConfig& config,
                           const NewWeights& weights);

}  // namespace hone::llm
