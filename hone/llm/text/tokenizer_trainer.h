// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::llm {

struct TokenizerRecipe {
  std::size_t vocab_size = 4096;  // All ids: the 256 bytes, what is merged, the special tokens.
  // The last ids, in this order. The first two end a text and a turn.
  std::vector<std::string> special_tokens = {"<|endoftext|>", "<|im_end|>", "<|im_start|>"};
  std::uint64_t min_count = 2;     // How often a pair must be there to be merged.
  std::string chat_template = {};  // For tokenizer_config.json; ChatML if empty.
};

// A byte-level BPE with the pre-tokeniser of Qwen2, learnt from texts. The same texts in the same
// order give the same tokenizer; where two pairs are equally frequent the one with the smaller ids
// is merged. A corpus that has too few pairs gives a smaller vocabulary.
struct TrainedTokenizer {
  std::string tokenizer_json;
  std::string tokenizer_config_json;
  std::size_t vocab_size = 0;
};

Result<TrainedTokenizer> TrainTokenizer(std::span<const std::string_view> texts,
                                        const TokenizerRecipe& recipe);

// Both files into the folder, as transformers reads them.
Result<void> WriteTokenizer(const std::filesystem::path& folder, const TrainedTokenizer& tokenizer);

}  // namespace hone::llm
