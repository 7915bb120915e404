// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "hone/core/result.h"
#include "hone/llm/engine/language_model.h"
#include "hone/llm/engine/placement.h"

namespace hone::llm {

// How far this engine is from what transformers said of the same weights: golden.safetensors of
// tests/oracle/llm_golden.py, beside a checkpoint or an adapter.
struct GoldenReport {
  int prompts = 0;
  double largest_logit = 0;            // In absolute value.
  double logit_error = 0;              // The largest difference.
  double log_probability_error = 0;    // Of the greedy tokens, up to the first that differs.
  std::int64_t greedy_tokens = 0;      // Compared in all.
  std::int64_t first_difference = -1;  // In some greedy text; -1: none.
  double gap_at_difference = 0;        // Between their best and second token there, if known.
};

// `base` is the folder of the base model if `folder` is an adapter's. With BF16 the logits are
// compared with those in bf16 where there are some.
Result<GoldenReport> CompareWithGolden(const std::filesystem::path& folder,
                                       const std::filesystem::path& base,
                                       const Placement& placement, bool uses_graphs = true);

// Saves the model and check.safetensors beside it: some ids and our logits, which
// `llm_golden.py --check` compares with transformers' of what was saved.
Result<void> SaveForCheck(const LanguageModel& model, const std::filesystem::path& folder);

// One line for people.
std::string Text(const GoldenReport& report);

}  // namespace hone::llm
