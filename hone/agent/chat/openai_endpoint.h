// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/chat/chat_model.h"
#include "hone/agent/chat/openai_wire.h"
#include "hone/agent/chat/secret_key.h"
#include "hone/base/http/http_client.h"
#include "hone/core/result.h"

namespace hone::agent {

// How an endpoint is reached.
struct EndpointPlace {
  HttpUrl url;  // Of the API: ".../v1".
  std::filesystem::path ca_file = {};
  HttpProxies proxies = {};
};

// "http://127.0.0.1:8000", with or without "/v1" or "/v1/chat/completions". Refuses what holds a
// password or a query: keys have their own places.
Result<HttpUrl> ParseEndpointUrl(std::string_view text);

// One try to get an answer.
struct ChatAttempt {
  // What may be done about a failure.
  enum class Fault {
    kNone,
    kPassing,     // Of the endpoint, for now: try again, here or elsewhere.
    kOfEndpoint,  // Of the endpoint, for good: try elsewhere only.
    kOfRequest,   // Every endpoint would refuse it.
  };
  // What the endpoint may charge for it.
  enum class Cost { kNothing, kAsUsed, kUnknown };

  Result<ChatAnswer> answer;
  Fault fault = Fault::kNone;
  Cost cost = Cost::kNothing;
  bool is_usage_told = false;  // With kAsUsed: whether the usage is the endpoint's word.
  std::optional<std::chrono::milliseconds> retry_after = std::nullopt;
};

// One endpoint that speaks OpenAI's chat completions. No retries here. Safe for concurrent use.
class OpenAiEndpoint {
 public:
  OpenAiEndpoint(EndpointPlace place, SecretKey key);

  struct Limits {
    std::chrono::milliseconds total;
    std::chrono::milliseconds idle;
  };
  ChatAttempt Ask(const ChatRequest& request, const std::string& model, Limits limits,
                  const std::stop_token& stop, const ChatListener& listener);

  // The names of its models.
  Result<std::vector<std::string>> Models(Limits limits, const std::stop_token& stop);

  std::string name() const { return ToText(place_.url); }

 private:
  class Reading;

  HttpCall CallTo(std::string method, std::string target, Limits limits,
                  const std::stop_token& stop) const;
  ChatAttempt Try(const ChatRequest& request, const std::string& model, Limits limits,
                  const std::stop_token& stop, const ChatListener& listener);
  ChatAttempt Refusal(const HttpReply& head, const std::string& body) const;
  bool LearnDialect(const ChatAttempt& attempt);
  Error Named(Errc code, const std::string& text) const;

  EndpointPlace place_;
  SecretKey key_;
  std::atomic<bool> says_completion_tokens_ = false;
  std::atomic<bool> asks_for_usage_ = true;
  std::atomic<bool> knows_schemas_ = true;
};

}  // namespace hone::agent
