// SPDX-License-Identifier: Apache-2.0
// libFuzzer targets for the files of language models: HONE_FUZZ_ENTRY is one of the functions
// below. scripts/fuzz-llm builds and runs them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/ordered_json.h"
#include "hone/llm/files/safetensors.h"
#include "hone/llm/text/chat_template.h"
#include "hone/llm/text/tokenizer.h"
#include "hone/llm/text/tokenizer_trainer.h"
#include "hone/llm/text/unicode.h"

namespace hone::llm {

// Every byte that a tensor claims is one of the file's.
void FuzzSafetensors(std::string_view input) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(input.data()),
                                         input.size());
  const auto header = ParseSafetensors(bytes, "fuzz");
  if (!header) return;
  std::size_t sum = 0;
  for (const TensorView& tensor : header->tensors) {
    for (const std::byte byte : tensor.bytes) sum += static_cast<std::size_t>(byte);
    if (tensor.bytes.data() + tensor.bytes.size() > bytes.data() + bytes.size()) __builtin_trap();
  }
  if (sum == SIZE_MAX) __builtin_trap();
}

namespace {

std::string MinimalTokenizer() {
  const std::string_view text = "the cat and the dog, the end";
  return TrainTokenizer(std::span(&text, 1), {.vocab_size = 280, .min_count = 1})->tokenizer_json;
}

void TryTokenizer(const Tokenizer& tokenizer, std::string_view text) {
  for (const bool special : {false, true}) {
    const auto ids =
        tokenizer.Encode(text, EncodeOptions{.with_special = special, .special_in_text = special});
    const std::string decoded = tokenizer.Decode(ids, false);
    if (!IsValidUtf8(decoded)) __builtin_trap();
    TextStream stream(tokenizer, false);
    std::string streamed;
    for (const std::int32_t id : ids) streamed += stream.Add(id);
    if (streamed + stream.Finish() != decoded) __builtin_trap();
  }
}

}  // namespace

// The text to encode, a zero byte, and what changes in a small tokenizer.json.
void FuzzTokenizer(std::string_view input) {
  static const Json minimal = *ParseJson(MinimalTokenizer(), "minimal");
  static const Tokenizer tokenizer = *Tokenizer::Parse(Dump(minimal), "minimal");
  const std::string_view text = input.substr(0, input.find('\0'));
  if (tokenizer.Decode(tokenizer.Encode(text, false), false) != Nfc(ValidUtf8(text))) {
    __builtin_trap();
  }
  TryTokenizer(tokenizer, text);
  if (text.size() == input.size()) return;
  const std::string_view change = input.substr(text.size() + 1);
  static_cast<void>(Tokenizer::Parse(change, "fuzz"));
  const auto patch = ParseJson(change, "fuzz");
  if (!patch) return;
  Json json = minimal;
  json.merge_patch(*patch);
  const auto changed =
      Tokenizer::Parse(json.dump(-1, ' ', false, Json::error_handler_t::replace), "fuzz");
  if (changed) TryTokenizer(*changed, text);
}

// A template; what it renders to is text.
void FuzzTemplate(std::string_view input) {
  const auto parsed = ChatTemplate::Parse(input);
  if (!parsed) return;
  static const OrderedJson context = *ParseOrderedJson(
      R"({"messages":[{"role":"user","content":"<think>a</think>"},{"role":"tool","content":null}],
          "tools":[{"name":"f","x":[1,2.5,true]}],"add_generation_prompt":true,"s":"é{{","n":-3})",
      "context");
  const auto text =
      parsed->Render(context, {.steps = 20'000, .output_bytes = 100'000, .depth = 50});
  if (text && !IsValidUtf8(*text)) __builtin_trap();
}

}  // namespace hone::llm

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  hone::llm::HONE_FUZZ_ENTRY(std::string_view(reinterpret_cast<const char*>(bytes), size));
  return 0;
}
