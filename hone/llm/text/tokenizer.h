// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::llm {

struct EncodeOptions {
  // What the file's post-processor adds, such as the token that begins a text of Llama 3.
  bool with_special = false;
  // Whether the text may name special tokens: "<|im_end|>" is then one token. True for what a chat
  // template rendered; false for text of people and tools, in which it stays mere text.
  bool special_in_text = false;
  // A text that is left out once the special tokens are found; it keeps what looks like one apart.
  std::string_view ignored = {};
};

// A byte-level BPE from a tokenizer.json of Hugging Face: the ids are those of its own library.
// Text is any bytes; those that are no UTF-8 are read as U+FFFD, as that library's callers do.
// Safe for concurrent use.
class Tokenizer {
 public:
  // Kinds of tokenizers that would give other ids here are errors that name what is not supported.
  static Result<Tokenizer> Read(const std::filesystem::path& tokenizer_json);
  static Result<Tokenizer> Parse(std::string_view json, std::string_view what);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  std::vector<std::int32_t> Encode(std::string_view text, EncodeOptions options) const;
  std::vector<std::int32_t> Encode(std::string_view text, bool with_special) const {
    return Encode(text, EncodeOptions{.with_special = with_special});
  }

  // Bytes that are no UTF-8 become U+FFFD. Ids that are not known give nothing.
  std::string Decode(std::span<const std::int32_t> ids, bool skip_special) const;

  // The bytes of one token, not always whole characters; empty for an id that is not known.
  std::string_view BytesOf(std::int32_t id) const;

  std::optional<std::int32_t> IdOf(std::string_view token) const;  // By content: "<|im_end|>".
  bool IsSpecial(std::int32_t id) const;
  std::vector<std::string> SpecialTokens() const;  // Their contents, sorted.
  std::size_t vocab_size() const;                  // One more than the largest id.

 private:
  struct Parts;
  explicit Tokenizer(std::unique_ptr<const Parts> parts);

  std::unique_ptr<const Parts> parts_;
};

// Text from tokens as they come, never with half a character: what is not yet whole waits for the
// next token. The tokenizer must outlive it.
class TextStream {
 public:
  explicit TextStream(const Tokenizer& tokenizer, bool skip_special = true)
      : tokenizer_(&tokenizer), skip_special_(skip_special) {}

  std::string Add(std::int32_t id);
  std::string Finish();  // What still waits, as U+FFFD.

 private:
  const Tokenizer* tokenizer_;
  bool skip_special_;
  std::string waiting_;
};

}  // namespace hone::llm
