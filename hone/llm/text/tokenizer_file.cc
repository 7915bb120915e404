// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/tokenizer_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hone/llm/text/byte_letters.h"
#include "hone/llm/text/unicode.h"

namespace hone::llm {
namespace {

constexpr std::size_t kMaxTokenizerBytes = 256 << 20;
constexpr std::size_t kMaxTokenizerDepth = 32;
constexpr std::int64_t kMaxTokenId = 1 << 22;
constexpr std::size_t kMaxSplits = 16;
// What ByteLevel splits by if it is told to: GPT-2's own expression.
constexpr std::string_view kGpt2Expression =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

std::string TypeOf(JsonReader reader) { return reader.At("type").String(); }

bool IsThere(JsonReader& reader, std::string_view key) {
  return reader.Has(key) && !reader.At(key).Raw().is_null();
}

bool IsSet(JsonReader& reader, std::string_view key) {
  return IsThere(reader, key) && reader.At(key).Bool();
}

std::int32_t ReadId(JsonReader reader) {
  const std::int64_t id = reader.Integer();
  if (id >= 0 && id <= kMaxTokenId) return static_cast<std::int32_t>(id);
  reader.Fail(fmt::format("expected an id from 0 to {}", kMaxTokenId));
  return 0;
}

// Writes what it reads into the file that it fills; faults are kept by the readers.
class FileBuilder {
 public:
  Result<TokenizerFile> Build(const Json& json, std::string_view what) {
    JsonReader root(json, std::string(what));
    ReadAdded(root);  // First: its ids may be beyond the vocabulary's, which must not move later.
    ReadModel(root.At("model"));
    if (auto read = root.Finish(); !read) return read.error();
    if (IsThere(root, "normalizer")) ReadNormalizer(root.At("normalizer"));
    PlaceAdded();
    if (IsThere(root, "pre_tokenizer")) ReadPreTokenizer(root.At("pre_tokenizer"));
    if (!is_byte_level_) root.Fail("pre_tokenizer: only byte-level BPE is supported");
    if (IsThere(root, "post_processor")) ReadPostProcessor(root.At("post_processor"));
    if (TypeOf(root.At("decoder")) != "ByteLevel") {
      root.Fail("decoder: only ByteLevel is supported");
    }
    if (auto read = root.Finish(); !read) return read.error();
    return std::move(file_);
  }

 private:
  void ReadModel(JsonReader model) {
    if (TypeOf(model) != "BPE") return model.Fail("type: only BPE is supported");
    for (const std::string_view key :
         {"dropout", "continuing_subword_prefix", "end_of_word_suffix"}) {
      if (IsThere(model, key) && model.At(key).Raw() != "") {
        model.Fail(fmt::format("{} is set, which is not supported", key));
      }
    }
    file_.takes_whole_words = IsSet(model, "ignore_merges");
    ReadVocabulary(model.At("vocab"));
    ReadMerges(model.At("merges"));
  }

  void GrowTo(std::int32_t id) {
    const auto size = static_cast<std::size_t>(id) + 1;
    if (file_.tokens.size() >= size) return;
    file_.tokens.resize(size);
    file_.is_special.resize(size);
  }

  void ReadVocabulary(JsonReader vocabulary) {
    if (!vocabulary.Raw().is_object()) return vocabulary.Fail("expected an object");
    std::int32_t last = 0;
    for (const AddedToken& token : added_) last = std::max(last, token.id);
    for (const auto& [token, id] : vocabulary.Raw().items()) {
      if (!id.is_number_integer() || id < 0 || id > kMaxTokenId) {
        return vocabulary.Fail(
            fmt::format("the id of {} is no number from 0 to {}", token, kMaxTokenId));
      }
      last = std::max(last, id.get<std::int32_t>());
    }
    GrowTo(last);
    for (const auto& [token, id] : vocabulary.Raw().items()) {
      std::string& bytes = file_.tokens[id.get<std::size_t>()];
      if (!bytes.empty()) {
        return vocabulary.Fail(fmt::format("the id {} is given twice", id.get<std::int32_t>()));
      }
      bytes = BytesOfLetters(token);
      file_.ids.emplace(bytes, id.get<std::int32_t>());
    }
    for (int byte = 0; byte < 256; ++byte) {
      const std::string text(1, static_cast<char>(byte));
      const auto found = file_.ids.find(text);
      if (found == file_.ids.end()) {
        return vocabulary.Fail(fmt::format("no token for the byte {}", byte));
      }
      file_.byte_ids[static_cast<std::size_t>(byte)] = found->second;
    }
  }

  void ReadMerges(JsonReader merges) {
    const Json& list = merges.Raw();
    if (!list.is_array()) return merges.Fail("expected an array");
    file_.merges = BpeMerges(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) {
      std::string left;
      std::string right;
      if (!SidesOf(list[k], left, right)) {
        return merges.Fail(fmt::format("merge {} is neither \"a b\" nor [\"a\", \"b\"]", k));
      }
      const auto first = file_.ids.find(left);
      const auto second = file_.ids.find(right);
      const auto merged = file_.ids.find(left + right);
      if (first == file_.ids.end() || second == file_.ids.end() || merged == file_.ids.end()) {
        return merges.Fail(fmt::format("merge {}: a side or the whole is no token", k));
      }
      file_.merges.Add(first->second, second->second, merged->second);
    }
  }

  static bool SidesOf(const Json& merge, std::string& left, std::string& right) {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      left = BytesOfLetters(merge[0].get_ref<const std::string&>());
      right = BytesOfLetters(merge[1].get_ref<const std::string&>());
      return true;
    }
    if (!merge.is_string()) return false;
    const std::string_view text = merge.get_ref<const std::string&>();
    const auto space = text.find(' ');
    if (space == text.npos || text.find(' ', space + 1) != text.npos) return false;
    left = BytesOfLetters(text.substr(0, space));
    right = BytesOfLetters(text.substr(space + 1));
    return true;
  }

  void ReadAdded(JsonReader& root) {
    if (!IsThere(root, "added_tokens")) return;
    for (JsonReader& entry : root.At("added_tokens").Items()) {
      AddedToken token;
      token.id = ReadId(entry.At("id"));
      token.content = entry.At("content").String();
      token.is_single_word = IsSet(entry, "single_word");
      token.strips_left = IsSet(entry, "lstrip");
      token.strips_right = IsSet(entry, "rstrip");
      token.is_normalized = IsSet(entry, "normalized");
      token.is_special = IsSet(entry, "special");
      if (!IsValidUtf8(token.content)) entry.Fail("the content is no UTF-8");
      if (!entry.Finish()) return;
      added_.push_back(std::move(token));
    }
  }

  void PlaceAdded() {
    for (AddedToken& token : added_) {
      const auto id = static_cast<std::size_t>(token.id);
      if (file_.tokens[id].empty()) file_.tokens[id] = BytesOfLetters(token.content);
      file_.is_special[id] = token.is_special;
      file_.added_ids[token.content] = token.id;
      if (token.is_normalized && file_.composes) token.content = Nfc(token.content);
      (token.is_normalized ? file_.normalized_tokens : file_.raw_tokens).Add(std::move(token));
    }
  }

  void ReadNormalizer(JsonReader normalizer) {
    const std::string type = TypeOf(normalizer);
    if (type == "NFC") {
      file_.composes = true;
    } else if (type == "Sequence") {
      for (JsonReader& part : normalizer.At("normalizers").Items()) ReadNormalizer(part);
    } else {
      normalizer.Fail(fmt::format("\"{}\" is not supported; there is NFC", type));
    }
  }

  void ReadPreTokenizer(JsonReader part) {
    const std::string type = TypeOf(part);
    if (type == "Sequence") {
      for (JsonReader& inner : part.At("pretokenizers").Items()) ReadPreTokenizer(inner);
    } else if (is_byte_level_) {
      part.Fail("nothing is supported after ByteLevel");
    } else if (type == "ByteLevel") {
      is_byte_level_ = true;
      if (IsSet(part, "add_prefix_space")) part.Fail("add_prefix_space is not supported");
      if (!part.Has("use_regex") || IsSet(part, "use_regex")) AddSplit(part, kGpt2Expression);
    } else if (type == "Split") {
      if (part.At("behavior").String() != "Isolated" || IsSet(part, "invert")) {
        part.Fail("only the behavior Isolated, not inverted, is supported");
      }
      AddSplit(part, part.At("pattern").At("Regex").String());
    } else {
      part.Fail(fmt::format("\"{}\" is not supported; there are Split and ByteLevel", type));
    }
  }

  void AddSplit(JsonReader& part, std::string_view expression) {
    auto pattern = TextPattern::Compile(expression);
    if (!pattern) return part.Fail(pattern.error().message);
    if (file_.splits.size() == kMaxSplits) return part.Fail("too many splits");
    file_.splits.push_back(std::move(*pattern));
  }

  void ReadPostProcessor(JsonReader part) {
    const std::string type = TypeOf(part);
    if (type == "ByteLevel") return;
    if (type == "Sequence") {
      for (JsonReader& inner : part.At("processors").Items()) ReadPostProcessor(inner);
    } else if (type == "TemplateProcessing") {
      ReadTemplate(part);
    } else {
      part.Fail(
          fmt::format("\"{}\" is not supported; there are ByteLevel and TemplateProcessing", type));
    }
  }

  void ReadTemplate(JsonReader part) {
    bool is_behind = false;
    JsonReader specials = part.At("special_tokens");
    for (JsonReader& piece : part.At("single").Items()) {
      if (piece.Has("Sequence")) {
        if (is_behind) piece.Fail("the text twice is not supported");
        is_behind = true;
        continue;
      }
      const std::string name = piece.At("SpecialToken").At("id").String();
      for (JsonReader& id : specials.At(name).At("ids").Items()) {
        (is_behind ? file_.suffix : file_.prefix).push_back(ReadId(id));
      }
    }
  }

  TokenizerFile file_;
  std::vector<AddedToken> added_;
  bool is_byte_level_ = false;
};

}  // namespace

Result<TokenizerFile> ParseTokenizerFile(std::string_view text, std::string_view what) {
  const auto json =
      ParseJson(text, what, {.bytes = kMaxTokenizerBytes, .depth = kMaxTokenizerDepth});
  if (!json) return json.error();
  return FileBuilder().Build(*json, what);
}

}  // namespace hone::llm
