// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/llm/openai/text_model.h"
#include "hone/llm/serve/engine_words.h"

namespace hone::llm {

// Why a request is refused, as clients of OpenAI's API expect it.
struct OpenAiFault {
  int status = 400;
  std::string message;
  std::string type = "invalid_request_error";
  std::string param = {};
  std::string code = {};
};
Json ToJson(const OpenAiFault& fault);

// A request of /v1/chat/completions or /v1/completions, ready for the engine.
struct OpenAiRequest {
  bool is_chat = true;
  std::vector<std::vector<TokenId>> prompts;  // A chat has one.
  GenerationRequest generation;               // Its prompt is empty.
  std::vector<std::string> stop;
  bool is_stream = false;
  bool includes_usage = false;
  bool has_tools = false;
  bool wants_logprobs = false;
  bool returns_ids = false;
};

// What the server has.
struct OpenAiLimits {
  std::int64_t max_length = 0;
  int max_choices = 128;
};

// `fresh_seed` is used where the client gives none.
tl::expected<OpenAiRequest, OpenAiFault> ReadOpenAiRequest(std::string_view body, bool is_chat,
                                                           const TextModel& model,
                                                           const OpenAiLimits& limits,
                                                           std::uint64_t fresh_seed);

}  // namespace hone::llm
