// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/llm/engine/torch.h"

namespace hone::llm {

// What sampling knows of each row; every tensor is [rows] unless it says otherwise.
struct SamplerRows {
  at::Tensor uniform;      // In [0, 1), fp64: the one random number of the row's step.
  at::Tensor temperature;  // 0: the best token.
  at::Tensor top_k;        // 0: all.
  at::Tensor top_p;
  at::Tensor min_p;
  at::Tensor repetition_penalty;
  at::Tensor presence_penalty;
  at::Tensor frequency_penalty;
  at::Tensor is_in_prompt;  // [rows, vocab], bool; undefined if no row is penalised.
  at::Tensor counts;        // [rows, vocab], fp32: how often it was sampled; likewise.
};

// Which of the dearer parts some row needs.
struct SamplerParts {
  bool filters = false;
  bool penalises = false;
  bool lists_top = false;

  auto operator<=>(const SamplerParts&) const = default;
};

struct SampledRows {
  at::Tensor ids;
  at::Tensor log_probability;
  at::Tensor sampled_log_probability;
  at::Tensor top_ids;     // [rows, kMaxTopLogProbs]; undefined if not asked for.
  at::Tensor top_values;  // Likewise.
};

// One token for each row of logits [rows, vocab], all on the device: no shape and no decision
// depends on values.
SampledRows SampleRows(const at::Tensor& logits, const SamplerRows& rows, SamplerParts parts);

}  // namespace hone::llm
