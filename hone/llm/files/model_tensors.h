// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/llm/files/model_config.h"

namespace hone::llm {

struct TensorShape {
  std::string name;
  std::vector<std::int64_t> shape;
};

// Every tensor that the weights of such a model must have, by the names of transformers. The head
// is none of them where it is tied to the embedding.
std::vector<TensorShape> TensorsOf(const ModelConfig& config);

// How many numbers they hold.
std::int64_t ParameterCount(const ModelConfig& config);

}  // namespace hone::llm
