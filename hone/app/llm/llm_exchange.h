// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/base/clock.h"
#include "hone/llm/openai/openai_answer.h"
#include "hone/llm/serve/engine_process.h"
#include "hone/server/http/async.h"
#include "hone/server/live/async_condition.h"

namespace hone::app {

using LlmWakes = server::AsyncCondition;

// One HTTP request that the engine answers. Events come from the engine's thread; the connection
// takes what they made. Safe for concurrent use.
class LlmExchange : public std::enable_shared_from_this<LlmExchange> {
 public:
  // What is passed by reference outlives it.
  LlmExchange(llm::EngineProcess& engine, LlmWakes& wakes, Clock& clock, std::string key,
              llm::OpenAiAnswer answer);

  void Submit();
  void Cancel();  // Whatever of it is still open.

  // Waits until there is text of a stream, all of it is over, or the client is gone.
  struct State {
    std::string text;  // New in the stream.
    bool is_finished = false;
    bool is_gone = false;  // The client, or the server.
    std::optional<Error> failure;
  };
  server::Async<State> Next(std::stop_token gone);

  const llm::OpenAiAnswer& answer() const { return answer_; }  // Once it is finished.

  void OnEvent(std::size_t prompt, const llm::GenerationEvent& event);
  void OnFailure(const Error& error);

 private:
  State Take();

  llm::EngineProcess& engine_;
  LlmWakes& wakes_;
  Clock& clock_;
  const std::string key_;
  std::mutex mutex_;
  llm::OpenAiAnswer answer_;  // Protected by mutex_; so is what follows.
  std::string text_;
  std::optional<Error> failure_;
  std::vector<llm::RequestId> open_;  // By prompt; 0: over.
  bool is_left_ = false;              // Nobody waits any more, and what would wake is perhaps gone.
};

}  // namespace hone::app
