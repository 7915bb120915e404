// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/llm/serve/engine_words.h"

// What hone and hone-llm say to each other.
namespace hone::llm {

// To the engine. The end of the channel ends it.
struct SubmitMessage {
  RequestId id = 0;
  GenerationRequest request;
};
struct CancelMessage {
  RequestId id = 0;
};
struct AskStatsMessage {};
using ToEngine = std::variant<SubmitMessage, CancelMessage, AskStatsMessage>;

// From it. The first is EngineFacts, or a FailedMessage without an id.
struct EngineFacts {
  std::int64_t vocab_size = 0;
  std::int64_t max_length = 0;
  std::int64_t rows = 0;
  std::string placed;    // "bf16 on cuda"
  std::string identity;  // What it was compiled with.
};
struct FailedMessage {
  RequestId id = 0;  // 0: the engine itself.
  std::string message;
};
using FromEngine = std::variant<EngineFacts, GenerationEvent, FailedMessage, EngineStats>;

Json ToJson(const ToEngine& message);
Json ToJson(const FromEngine& message);
Result<ToEngine> ReadToEngine(const Json& json);
Result<FromEngine> ReadFromEngine(const Json& json);

}  // namespace hone::llm
