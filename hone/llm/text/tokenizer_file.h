// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/llm/text/added_tokens.h"
#include "hone/llm/text/bpe.h"
#include "hone/llm/text/text_pattern.h"

namespace hone::llm {

// What is in a tokenizer.json, ready for use.
struct TokenizerFile {
  std::vector<std::string> tokens;  // The bytes of each id; empty where there is none.
  std::vector<bool> is_special;     // By id.
  std::unordered_map<std::string_view, std::int32_t>
      ids;  // Of the vocabulary, by bytes: views into tokens.
  std::unordered_map<std::string, std::int32_t> added_ids;  // By content.
  std::array<std::int32_t, 256> byte_ids{};
  BpeMerges merges{0};
  bool takes_whole_words = false;  // ignore_merges: a word that is a token is that token.
  AddedTokens raw_tokens;
  AddedTokens normalized_tokens;
  bool composes = false;  // NFC.
  std::vector<TextPattern> splits;
  std::vector<std::int32_t> prefix;  // What the post-processor puts around a text.
  std::vector<std::int32_t> suffix;
};

Result<TokenizerFile> ParseTokenizerFile(std::string_view json, std::string_view what);

}  // namespace hone::llm
