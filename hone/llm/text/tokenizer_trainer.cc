// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/tokenizer_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/llm/text/bpe_trainer.h"
#include "hone/llm/text/byte_letters.h"
#include "hone/llm/text/text_pattern.h"
#include "hone/llm/text/unicode.h"

namespace hone::llm {
namespace {

constexpr std::size_t kByteCount = 256;
constexpr std::size_t kMaxTrainedVocabulary = 1 << 20;
constexpr std::size_t kMaxTrainedWord = 128;  // Longer ones would only make merges of themselves.

// That of Qwen2.
constexpr std::string_view kSplitExpression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr std::string_view kChatMl =
    "{%- for message in messages %}\n"
    "    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}\n"
    "{%- endfor %}\n"
    "{%- if add_generation_prompt %}\n"
    "    {{- '<|im_start|>assistant\\n' }}\n"
    "{%- endif %}\n";

std::vector<std::pair<std::string, std::uint64_t>> CountWords(
    std::span<const std::string_view> texts, const TextPattern& pattern) {
  std::map<std::string, std::uint64_t, std::less<>> counts;
  std::vector<std::string_view> pieces;
  for (const std::string_view text : texts) {
    const std::string composed = Nfc(ValidUtf8(text));
    pieces.clear();
    pattern.Split(composed, pieces);
    for (const std::string_view piece : pieces) {
      if (piece.size() > kMaxTrainedWord) continue;
      const auto found = counts.find(piece);
      found == counts.end() ? static_cast<void>(counts.emplace(piece, 1))
                            : static_cast<void>(++found->second);
    }
  }
  return {counts.begin(), counts.end()};
}

Json ByteLevel() {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", false},
          {"use_regex", false}};
}

Json AddedTokenJson(const std::string& content, std::size_t id) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

Json ModelJson(const std::vector<LearntMerge>& learnt) {
  std::vector<std::string> tokens;
  for (std::size_t byte = 0; byte < kByteCount; ++byte) {
    tokens.push_back(std::string(1, static_cast<char>(byte)));
  }
  Json merges = Json::array();
  for (const LearntMerge& merge : learnt) {
    const std::string left = tokens[static_cast<std::size_t>(merge.left)];
    const std::string right = tokens[static_cast<std::size_t>(merge.right)];
    merges.push_back({LettersOf(left), LettersOf(right)});
    tokens.push_back(left + right);
  }
  Json vocabulary = Json::object();
  for (std::size_t id = 0; id < tokens.size(); ++id) vocabulary[LettersOf(tokens[id])] = id;
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", false},
          {"vocab", std::move(vocabulary)},
          {"merges", std::move(merges)}};
}

Json TokenizerJson(const std::vector<LearntMerge>& learnt, const TokenizerRecipe& recipe) {
  Json added = Json::array();
  for (const std::string& token : recipe.special_tokens) {
    added.push_back(AddedTokenJson(token, kByteCount + learnt.size() + added.size()));
  }
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", std::move(added)},
          {"normalizer", {{"type", "NFC"}}},
          {"pre_tokenizer",
           {{"type", "Sequence"},
            {"pretokenizers",
             {{{"type", "Split"},
               {"pattern", {{"Regex", kSplitExpression}}},
               {"behavior", "Isolated"},
               {"invert", false}},
              ByteLevel()}}}},
          {"post_processor", ByteLevel()},
          {"decoder", ByteLevel()},
          {"model", ModelJson(learnt)}};
}

Json TokenizerConfigJson(const TokenizerRecipe& recipe) {
  const auto& special = recipe.special_tokens;
  return {{"tokenizer_class", "PreTrainedTokenizerFast"},
          {"clean_up_tokenization_spaces", false},
          {"bos_token", nullptr},
          {"unk_token", nullptr},
          {"pad_token", special[0]},
          {"eos_token", special[special.size() > 1 ? 1 : 0]},
          {"chat_template",
           recipe.chat_template.empty() ? std::string(kChatMl) : recipe.chat_template}};
}

Result<void> CheckRecipe(const TokenizerRecipe& recipe) {
  const std::size_t min = kByteCount + recipe.special_tokens.size();
  if (recipe.vocab_size < min || recipe.vocab_size > kMaxTrainedVocabulary) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("tokenizer: a vocabulary of {} to {} was expected, not {}", min,
                             kMaxTrainedVocabulary, recipe.vocab_size)};
  }
  if (recipe.special_tokens.empty()) {
    return Error{Errc::kInvalidArgument, "tokenizer: at least one special token is needed"};
  }
  auto sorted = recipe.special_tokens;
  std::sort(sorted.begin(), sorted.end());
  const bool is_wrong = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end() ||
                        sorted.front().empty() ||
                        !std::all_of(sorted.begin(), sorted.end(), IsValidUtf8);
  if (!is_wrong) return {};
  return Error{Errc::kInvalidArgument,
               "tokenizer: special tokens are to be different, of UTF-8 and not empty"};
}

}  // namespace

Result<TrainedTokenizer> TrainTokenizer(std::span<const std::string_view> texts,
                                        const TokenizerRecipe& recipe) {
  if (auto checked = CheckRecipe(recipe); !checked) return checked.error();
  const auto pattern = TextPattern::Compile(kSplitExpression);
  if (!pattern) return pattern.error();
  const std::size_t max_merges = recipe.vocab_size - kByteCount - recipe.special_tokens.size();
  const auto learnt = LearnMerges(CountWords(texts, *pattern), max_merges,
                                  std::max<std::uint64_t>(recipe.min_count, 1));
  TrainedTokenizer trained;
  trained.tokenizer_json = Dump(TokenizerJson(learnt, recipe));
  trained.tokenizer_config_json = Dump(TokenizerConfigJson(recipe));
  trained.vocab_size = kByteCount + learnt.size() + recipe.special_tokens.size();
  return trained;
}

Result<void> WriteTokenizer(const std::filesystem::path& folder,
                            const TrainedTokenizer& tokenizer) {
  if (auto made = MakeFolder(folder); !made) return made;
  if (auto written = WriteFileDurably(folder / "tokenizer.json", tokenizer.tokenizer_json);
      !written) {
    return written;
  }
  return WriteFileDurably(folder / "tokenizer_config.json", tokenizer.tokenizer_config_json);
}

}  // namespace hone::llm
