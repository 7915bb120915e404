// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/openai_endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "hone/base/http/server_sent_events.h"

namespace hone::agent {
namespace {

using Fault = ChatAttempt::Fault;
using Cost = ChatAttempt::Cost;

constexpr std::size_t kMaxErrorBody = 64 << 10;
constexpr std::size_t kMaxModels = 1000;
constexpr std::chrono::milliseconds kConnectLimit{15'000};
constexpr std::string_view kDone = "[DONE]";

bool IsEventStream(const HttpReply& head) {
  return head.Header("content-type").find("text/event-stream") != std::string_view::npos;
}

// Only the form in seconds: servers of models use no other.
std::optional<std::chrono::milliseconds> RetryAfter(const HttpReply& head) {
  constexpr double kMaxSeconds = 1e6;
  const auto read = [&](const char* name, double unit) -> std::optional<std::chrono::milliseconds> {
    const std::string_view text = head.Header(name);
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size() || !(number >= 0)) return {};
    return std::chrono::milliseconds(
        static_cast<std::int64_t>(std::min(number * unit, kMaxSeconds * 1000)));
  };
  const auto exact = read("retry-after-ms", 1);
  return exact ? exact : read("retry-after", 1000);
}

bool IsPassing(int status) {
  return status == 408 || status == 409 || status == 425 || status == 429 || status >= 500;
}

ChatAttempt Failed(Error error, Fault fault, Cost cost) {
  return {.answer = std::move(error), .fault = fault, .cost = cost};
}

// The beginning of what a server says. A part of the key would not be found any more, so the key
// goes first.
std::string BeginningOf(std::string_view text, const SecretKey& key, std::size_t max_bytes) {
  return key.Redact(std::string(text)).substr(0, max_bytes);
}

std::string LocationText(const HttpReply& head, const SecretKey& key) {
  const std::string_view location = head.Header("location");
  return location.empty() ? "elsewhere" : ErrorText(BeginningOf(location, key, 200));
}

}  // namespace

Result<HttpUrl> ParseEndpointUrl(std::string_view text) {
  auto url = ParseHttpUrl(text);
  if (!url) return url.error();
  if (!url->user.empty() || !url->password.empty()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: a URL with a password would be shown and stored; use "
                             "--llm-key-file or --llm-key-env",
                             ToText(*url))};
  }
  if (url->path.find_first_of("?#") != url->path.npos || url->host.find('?') != url->host.npos) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: expected a URL without ? and #", ToText(*url))};
  }
  static constexpr std::string_view kEnding = "/chat/completions";
  if (url->path.ends_with(kEnding)) url->path.resize(url->path.size() - kEnding.size());
  if (url->path.empty()) url->path = "/v1";
  return url;
}

// Takes the body of a reply as it comes.
class OpenAiEndpoint::Reading {
 public:
  Reading(const SecretKey& key, AnswerLimits limits, const ChatListener& listener)
      : key_(key),
        redactor_(key),
        builder_(limits, key),
        listener_(listener),
        events_([this](const ServerSentEvent& event) { return TakeEvent(event); },
                limits.body_bytes) {}

  Result<bool> Take(const HttpReply& head, std::string_view piece) {
    if (head.status == 200 && IsEventStream(head)) return events_.Feed(piece);
    body_ += piece;
    return head.status == 200 || body_.size() <= kMaxErrorBody;
  }

  Result<ChatAnswer> Finish(const HttpReply& head) {
    if (!IsEventStream(head)) {
      if (auto taken = TakeWhole(head); !taken) return taken.error();
    }
    if (const auto ended = events_.End(); !ended) return ended.error();
    Show(redactor_.Finish());
    auto answer = builder_.Finish(is_done_ || is_json_);
    if (!answer) return answer;
    answer->message.text = key_.Redact(std::move(answer->message.text));
    answer->message.reasoning = key_.Redact(std::move(answer->message.reasoning));
    answer->model = key_.Redact(std::move(answer->model));
    for (ToolCall& call : answer->message.calls) {
      call.id = key_.Redact(std::move(call.id));
      call.name = key_.Redact(std::move(call.name));
      call.arguments = key_.Redact(std::move(call.arguments));
    }
    return answer;
  }

  const std::string& body() const { return body_; }
  bool has_usage() const { return builder_.has_usage(); }

 private:
  Result<bool> TakeEvent(const ServerSentEvent& event) {
    if (event.data == kDone) {
      is_done_ = true;
      return false;
    }
    if (event.data.empty()) return true;
    // Faults of JSON quote the beginning of what they are about.
    const auto json = ParseJson(key_.Redact(event.data), "stream", {.bytes = 64 << 20});
    if (!json) return Error{Errc::kUnavailable, "it does not send JSON: " + json.error().message};
    const auto text = builder_.Take(*json);
    if (!text) return text.error();
    Show(redactor_.Pass(*text));
    return true;
  }

  // A server that does not stream, or does not say that it does.
  Result<void> TakeWhole(const HttpReply& head) {
    const auto first = body_.find_first_not_of(" \t\r\n");
    if (first != body_.npos && body_[first] != '{') {
      if (body_.compare(first, 5, "data:") == 0 || body_[first] == ':') {
        const auto fed = events_.Feed(body_);
        return fed ? Result<void>() : fed.error();
      }
      return Error{Errc::kUnavailable,
                   fmt::format("it answers with \"{}\" instead of JSON; is this the URL of an "
                               "OpenAI-compatible API?",
                               ErrorText(BeginningOf(head.Header("content-type"), key_, 60)))};
    }
    const auto json = ParseJson(key_.Redact(body_), "answer", {.bytes = 256 << 20});
    if (!json) return Error{Errc::kUnavailable, "it does not send JSON: " + json.error().message};
    is_json_ = true;
    const auto text = builder_.Take(*json);
    if (!text) return text.error();
    Show(redactor_.Pass(*text));
    return {};
  }

  void Show(const std::string& piece) const {
    if (listener_ && !piece.empty()) listener_(piece);
  }

  const SecretKey& key_;
  KeyRedactor redactor_;
  AnswerBuilder builder_;
  const ChatListener& listener_;
  ServerSentEvents events_;
  std::string body_;
  bool is_done_ = false;
  bool is_json_ = false;
};

OpenAiEndpoint::OpenAiEndpoint(EndpointPlace place, SecretKey key)
    : place_(std::move(place)), key_(std::move(key)) {}

Error OpenAiEndpoint::Named(Errc code, const std::string& text) const {
  return Error{code, key_.Redact(fmt::format("{}: {}", name(), text))};
}

HttpCall OpenAiEndpoint::CallTo(std::string method, std::string target, Limits limits,
                                const std::stop_token& stop) const {
  HttpCall call{.url = place_.url, .method = std::move(method), .target = std::move(target)};
  call.ca_file = place_.ca_file;
  call.proxies = place_.proxies;
  call.limits.connect = kConnectLimit;
  call.limits.idle = limits.idle;
  call.limits.total = limits.total;
  call.stop = stop;
  call.headers = {{"Accept", "application/json, text/event-stream"}};
  if (key_.is_there()) call.headers.emplace_back("Authorization", "Bearer " + key_.Reveal());
  return call;
}

ChatAttempt OpenAiEndpoint::Ask(const ChatRequest& request, const std::string& model, Limits limits,
                                const std::stop_token& stop, const ChatListener& listener) {
  ChatAttempt attempt = Try(request, model, limits, stop, listener);
  // What it does not know is told another way, or not at all.
  for (int change = 0; change < 3 && LearnDialect(attempt); ++change) {
    attempt = Try(request, model, limits, stop, listener);
  }
  return attempt;
}

// Whether a refusal is about how we say things, and how to say them is known now.
bool OpenAiEndpoint::LearnDialect(const ChatAttempt& attempt) {
  if (attempt.fault != Fault::kOfRequest || attempt.cost != Cost::kNothing) return false;
  const std::string& text = attempt.answer.error().message;
  if (text.find("max_completion_tokens") != text.npos && !says_completion_tokens_.exchange(true)) {
    return true;
  }
  if (text.find("response_format") != text.npos && knows_schemas_.exchange(false)) return true;
  return text.find("stream_options") != text.npos && asks_for_usage_.exchange(false);
}

ChatAttempt OpenAiEndpoint::Try(const ChatRequest& request, const std::string& model, Limits limits,
                                const std::stop_token& stop, const ChatListener& listener) {
  const WireDialect dialect{.says_completion_tokens = says_completion_tokens_,
                            .asks_for_usage = asks_for_usage_,
                            .knows_schemas = knows_schemas_};
  const AnswerLimits answer_limits = LimitsOf(request);
  HttpCall call = CallTo("POST", "/chat/completions", limits, stop);
  call.body = Dump(RequestJson(request, model, dialect));
  call.limits.reply.body_bytes = answer_limits.body_bytes;
  auto connection = HttpConnection::Open(call);
  if (!connection) {
    const bool is_passing = connection.error().code == Errc::kUnavailable;
    return Failed(connection.error(), is_passing ? Fault::kPassing : Fault::kOfEndpoint,
                  Cost::kNothing);
  }
  Reading reading(key_, answer_limits, listener);
  auto reply = connection->Exchange(
      [&](const HttpReply& head, std::string_view piece) { return reading.Take(head, piece); });
  if (!reply) {
    // A server that sends more than it may would do so again, and charge for it.
    const bool is_too_long = reply.error().code == Errc::kUnsupported;
    return Failed(Error{Errc::kUnavailable, key_.Redact(reply.error().message)},
                  is_too_long ? Fault::kOfRequest : Fault::kPassing, Cost::kUnknown);
  }
  if (reply->status != 200) return Refusal(*reply, reading.body());
  auto answer = reading.Finish(*reply);
  if (!answer) {
    const bool is_too_long = answer.error().code == Errc::kUnsupported;
    return Failed(Named(Errc::kUnavailable, answer.error().message),
                  is_too_long ? Fault::kOfRequest : Fault::kPassing, Cost::kUnknown);
  }
  if (answer->model.empty()) answer->model = model;
  if (!reading.has_usage()) {
    answer->usage.prompt_tokens = GuessTokens(call.body.size());
  }
  return {
      .answer = std::move(*answer), .cost = Cost::kAsUsed, .is_usage_told = reading.has_usage()};
}

ChatAttempt OpenAiEndpoint::Refusal(const HttpReply& head, const std::string& body) const {
  const int status = head.status;
  const std::string reason = fmt::format("{} (status {})", ErrorText(body, key_), status);
  if (IsPassing(status) && body.find("insufficient_quota") == body.npos) {
    ChatAttempt attempt =
        Failed(Named(Errc::kUnavailable, reason), Fault::kPassing, Cost::kNothing);
    attempt.retry_after = RetryAfter(head);
    return attempt;
  }
  if (status / 100 == 3) {
    return Failed(Named(Errc::kInvalidArgument,
                        fmt::format("it sends us to {} (status {}); redirects are not followed: "
                                    "give the final URL",
                                    LocationText(head, key_), status)),
                  Fault::kOfEndpoint, Cost::kNothing);
  }
  if (status == 401 || status == 403) {
    return Failed(
        Named(Errc::kInvalidArgument,
              fmt::format("it refuses {}: {}; see --llm-key-file and --llm-key-env",
                          key_.is_there() ? "the key" : "us, since no key is given", reason)),
        Fault::kOfEndpoint, Cost::kNothing);
  }
  const bool is_of_endpoint = status == 404 || status == 405 || status == 402 || status == 429;
  return Failed(Named(Errc::kInvalidArgument, reason),
                is_of_endpoint ? Fault::kOfEndpoint : Fault::kOfRequest, Cost::kNothing);
}

Result<std::vector<std::string>> OpenAiEndpoint::Models(Limits limits,
                                                        const std::stop_token& stop) {
  HttpCall call = CallTo("GET", "/models", limits, stop);
  call.limits.reply.body_bytes = 8 << 20;
  auto reply = CallHttp(call);
  if (!reply) return Error{reply.error().code, key_.Redact(reply.error().message)};
  if (reply->status != 200)
    return Refusal(*reply, reply->body.substr(0, kMaxErrorBody)).answer.error();
  const auto json = ParseJson(key_.Redact(reply->body), "models");
  if (!json) return Named(Errc::kUnavailable, "it does not send JSON: " + json.error().message);
  const Json* const list = json->is_object() && json->contains("data") ? &(*json)["data"] : nullptr;
  if (list == nullptr || !list->is_array()) {
    return Named(Errc::kUnavailable, "it does not list its models; name one with --llm-model");
  }
  std::vector<std::string> names;
  for (const Json& model : *list) {
    const auto id = model.is_object() ? model.find("id") : model.end();
    if (!model.is_object() || id == model.end() || !id->is_string()) continue;
    if (names.size() < kMaxModels) names.push_back(BeginningOf(id->get<std::string>(), key_, 256));
  }
  return names;
}

}  // namespace hone::agent
