// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/llm/openai/text_model.h"
#include "hone/llm/serve/engine_process.h"
#include "hone/server/api_app.h"
#include "hone/server/http/http_server.h"

namespace hone::app {

inline constexpr std::uint16_t kLlmPort = 10909;

struct LlmHttpSettings {
  server::HttpSettings http;
  server::AccessSettings access;
  std::size_t max_requests = 1024;  // Open at the same time; more get 429.
};

// OpenAI's API over one model: /v1/models, /v1/chat/completions, /v1/completions; /health and
// /metrics. A client that reads slowly holds back nobody: what it has not taken is kept for it, and
// is no longer than the tokens that it asked for.
class LlmHttpServer {
 public:
  virtual ~LlmHttpServer() = default;  // Stops; who waits is not answered any more.
  virtual std::uint16_t port() const = 0;
};

// Listens from now on. What is passed by reference outlives the server. kInvalidArgument if it
// would listen beyond this machine without tokens; kUnavailable if the port is taken.
Result<std::unique_ptr<LlmHttpServer>> StartLlmHttp(llm::EngineProcess& engine,
                                                    const llm::TextModel& model, Clock& clock,
                                                    LlmHttpSettings settings);

}  // namespace hone::app
