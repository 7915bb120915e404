// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/tokenizer.h"

#include <algorithm>
#include <utility>

#include "hone/base/file.h"
#include "hone/llm/text/byte_letters.h"
#include "hone/llm/text/tokenizer_file.h"
#include "hone/llm/text/unicode.h"
#include "hone/llm/text/word_cache.h"

namespace hone::llm {
namespace {

constexpr std::size_t kMaxTokenizerFile = 256 << 20;

std::string Without(std::string_view text, std::string_view ignored) {
  std::string result;
  for (std::size_t found = 0; (found = text.find(ignored)) != text.npos;) {
    result += text.substr(0, found);
    text.remove_prefix(found + ignored.size());
  }
  return result += text;
}

// One call of Encode.
class Encoding {
 public:
  Encoding(const TokenizerFile& file, WordCache& cache) : file_(file), cache_(cache) {}

  void AddText(std::string_view text, const EncodeOptions& options) {
    std::vector<TextPart> parts;
    file_.raw_tokens.Split(text, options.special_in_text, parts);
    for (const TextPart& part : parts) {
      if (part.token) {
        ids_.push_back(*part.token);
      } else if (options.ignored.empty()) {
        AddNormalized(part.text, options.special_in_text);
      } else {
        // Normalised tokens could be found in what is whole again.
        AddNormalized(Without(part.text, options.ignored), false);
      }
    }
  }

  std::vector<std::int32_t>& ids() { return ids_; }

 private:
  void AddNormalized(std::string_view text, bool special_in_text) {
    const std::string composed = file_.composes ? Nfc(text) : std::string();
    std::vector<TextPart> parts;
    file_.normalized_tokens.Split(file_.composes ? composed : text, special_in_text, parts);
    for (const TextPart& part : parts) {
      if (part.token) {
        ids_.push_back(*part.token);
      } else {
        AddPlain(part.text);
      }
    }
  }

  void AddPlain(std::string_view text) {
    pieces_.assign(1, text);
    for (const TextPattern& split : file_.splits) {
      finer_.clear();
      for (const std::string_view piece : pieces_) split.Split(piece, finer_);
      std::swap(pieces_, finer_);
    }
    for (const std::string_view piece : pieces_) AddWord(piece);
  }

  void AddWord(std::string_view word) {
    if (const auto known = cache_.Find(word); !known.empty()) {
      ids_.insert(ids_.end(), known.begin(), known.end());
      return;
    }
    word_.clear();
    const auto whole = file_.takes_whole_words ? file_.ids.find(word) : file_.ids.end();
    if (whole != file_.ids.end()) {
      word_.push_back(whole->second);
    } else {
      for (const char byte : word)
        word_.push_back(file_.byte_ids[static_cast<unsigned char>(byte)]);
      file_.merges.Apply(word_);
    }
    cache_.Add(word, word_);
    ids_.insert(ids_.end(), word_.begin(), word_.end());
  }

  const TokenizerFile& file_;
  WordCache& cache_;
  std::vector<std::int32_t> ids_;
  std::vector<std::string_view> pieces_;
  std::vector<std::string_view> finer_;
  std::vector<std::int32_t> word_;
};

}  // namespace

struct Tokenizer::Parts {
  TokenizerFile file;
  mutable WordCaches caches;

  explicit Parts(TokenizerFile read) : file(std::move(read)) {}
};

Tokenizer::Tokenizer(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Result<Tokenizer> Tokenizer::Read(const std::filesystem::path& tokenizer_json) {
  const auto text = ReadFile(tokenizer_json, kMaxTokenizerFile);
  if (!text) return text.error();
  return Parse(*text, tokenizer_json.native());
}

Result<Tokenizer> Tokenizer::Parse(std::string_view json, std::string_view what) {
  auto file = ParseTokenizerFile(json, what);
  if (!file) return file.error();
  return Tokenizer(std::make_unique<const Parts>(std::move(*file)));
}

std::vector<std::int32_t> Tokenizer::Encode(std::string_view text, EncodeOptions options) const {
  const TokenizerFile& file = parts_->file;
  auto cache = parts_->caches.Take();
  Encoding encoding(file, *cache);
  auto& ids = encoding.ids();
  if (options.with_special) ids = file.prefix;
  if (IsValidUtf8(text)) {
    encoding.AddText(text, options);
  } else {
    encoding.AddText(ValidUtf8(text), options);
  }
  if (options.with_special) ids.insert(ids.end(), file.suffix.begin(), file.suffix.end());
  parts_->caches.GiveBack(std::move(cache));
  return std::move(ids);
}

std::string Tokenizer::Decode(std::span<const std::int32_t> ids, bool skip_special) const {
  std::string bytes;
  for (const std::int32_t id : ids) {
    if (!skip_special || !IsSpecial(id)) bytes += BytesOf(id);
  }
  return IsValidUtf8(bytes) ? bytes : ValidUtf8(bytes);
}

std::string_view Tokenizer::BytesOf(std::int32_t id) const {
  const auto& tokens = parts_->file.tokens;
  const auto at = static_cast<std::size_t>(id);
  return id >= 0 && at < tokens.size() ? std::string_view(tokens[at]) : std::string_view();
}

std::optional<std::int32_t> Tokenizer::IdOf(std::string_view token) const {
  const TokenizerFile& file = parts_->file;
  if (const auto added = file.added_ids.find(std::string(token)); added != file.added_ids.end()) {
    return added->second;
  }
  const auto found = file.ids.find(BytesOfLetters(token));
  return found == file.ids.end() ? std::nullopt : std::optional(found->second);
}

bool Tokenizer::IsSpecial(std::int32_t id) const {
  const auto& special = parts_->file.is_special;
  const auto at = static_cast<std::size_t>(id);
  return id >= 0 && at < special.size() && special[at];
}

std::size_t Tokenizer::vocab_size() const { return parts_->file.tokens.size(); }

std::vector<std::string> Tokenizer::SpecialTokens() const {
  std::vector<std::string> tokens;
  for (const auto& [content, id] : parts_->file.added_ids) {
    if (IsSpecial(id)) tokens.push_back(content);
  }
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

std::string TextStream::Add(std::int32_t id) {
  if (skip_special_ && tokenizer_->IsSpecial(id)) return "";
  waiting_ += tokenizer_->BytesOf(id);
  std::string whole = waiting_.substr(0, waiting_.size() - UnfinishedBytes(waiting_));
  waiting_.erase(0, whole.size());
  return IsValidUtf8(whole) ? whole : ValidUtf8(whole);
}

std::string TextStream::Finish() { return ValidUtf8(std::exchange(waiting_, {})); }

}  // namespace hone::llm
