// SPDX-License-Identifier: Apache-2.0
#include "hone/app/llm/llm_http.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hone/app/llm/llm_exchange.h"
#include "hone/app/service/http_shell.h"
#include "hone/base/fresh_number.h"
#include "hone/llm/openai/openai_answer.h"
#include "hone/llm/openai/openai_request.h"
#include "hone/server/http/event_stream.h"
#include "hone/server/http/router.h"

namespace hone::app {
namespace {

using server::Async;
using server::HttpRequest;
using server::HttpResponse;

HttpResponse LlmFault(const llm::OpenAiFault& fault) {
  return server::JsonResponse(fault.status, llm::ToJson(fault));
}

llm::OpenAiFault FaultOf(const Error& error) {
  llm::OpenAiFault fault;
  fault.message = error.message;
  if (error.code != Errc::kInvalidArgument) {
    fault.status = 503;
    fault.type = "server_error";
    fault.code = "engine_unavailable";
  }
  return fault;
}

// A stream whose client has left, in whatever way, needs no more tokens.
struct StreamHold {
  std::shared_ptr<LlmExchange> exchange;
  std::stop_token gone;
  bool is_over = false;

  StreamHold(std::shared_ptr<LlmExchange> of, std::stop_token leaves)
      : exchange(std::move(of)), gone(std::move(leaves)) {}
  ~StreamHold() { exchange->Cancel(); }
  StreamHold(const StreamHold&) = delete;
  StreamHold& operator=(const StreamHold&) = delete;
};

Async<std::optional<std::string>> NextLlmPiece(std::shared_ptr<StreamHold> hold) {
  if (hold->is_over) co_return std::nullopt;
  LlmExchange::State state = co_await hold->exchange->Next(hold->gone);
  hold->is_over = state.is_finished || state.is_gone || state.failure.has_value();
  if (state.is_gone) co_return std::nullopt;
  if (state.failure && !state.is_finished) {
    state.text += fmt::format("data: {}\n\n", Dump(llm::ToJson(FaultOf(*state.failure))));
  }
  co_return state.text.empty() ? std::string(server::kSignOfLife) : std::move(state.text);
}

std::string LlmMetrics(const llm::EngineStats& stats, std::size_t open, bool is_alive) {
  std::string text;
  const auto put = [&text](const char* name, const char* kind, auto value) {
    text += fmt::format("# TYPE hone_llm_{} {}\nhone_llm_{} {}\n", name, kind, name, value);
  };
  put("up", "gauge", is_alive ? 1 : 0);
  put("requests_open", "gauge", open);
  put("rows_in_use", "gauge", stats.rows_in_use);
  put("samples_waiting", "gauge", stats.samples_waiting);
  put("requests_total", "counter", stats.requests);
  put("prompt_tokens_total", "counter", stats.prompt_tokens);
  put("computed_prompt_tokens_total", "counter", stats.computed_tokens);
  put("sampled_tokens_total", "counter", stats.sampled_tokens);
  return text;
}

class ListeningLlmServer final : public LlmHttpServer {
 public:
  ListeningLlmServer(llm::EngineProcess& engine, const llm::TextModel& model, Clock& clock,
                     LlmHttpSettings settings)
      : engine_(engine),
        model_(model),
        clock_(clock),
        settings_(std::move(settings)),
        shell_(clock),
        wakes_(shell_.timers(), shell_.post()) {}

  ~ListeningLlmServer() override {
    wakes_.Close();
    shell_.StopListening();
    shell_.EndThreads();  // What they still run uses the rest.
  }

  Result<void> Listen() {
    return shell_.Listen(Routes(), settings_.http, settings_.access, "use the model");
  }

  std::uint16_t port() const override { return shell_.port(); }

 private:
  std::vector<server::Route> Routes() {
    using Method = Async<HttpResponse> (ListeningLlmServer::*)(const HttpRequest&);
    const auto route = [this](const char* method, const char* path, server::Access access,
                              const char* summary, Method handler) {
      server::Route made;
      made.method = method;
      made.path = path;
      made.access = access;
      made.summary = summary;
      if (made.method == "POST") made.request_schema = "any";
      made.handler = [this, handler](const HttpRequest& request) {
        return (this->*handler)(request);
      };
      return made;
    };
    using server::Access;
    return {route("GET", "/v1/models", Access::kAnyToken, "The one model", &Self::Models),
            route("GET", "/v1/models/{id}", Access::kAnyToken, "The same", &Self::OneModel),
            route("POST", "/v1/chat/completions", Access::kSubmit, "Continues a conversation",
                  &Self::Chat),
            route("POST", "/v1/completions", Access::kSubmit, "Continues a text", &Self::Text),
            route("GET", "/health", Access::kAnyone, "Whether the engine runs", &Self::Health),
            route("GET", "/metrics", Access::kAnyToken, "Counters for Prometheus", &Self::Metrics)};
  }

  Json ModelJson() const {
    return {{"id", model_.name()},
            {"object", "model"},
            {"created", created_},
            {"owned_by", "hone"},
            {"max_model_len", engine_.facts().max_length}};
  }

  Async<HttpResponse> Models(const HttpRequest&) {
    co_return server::JsonResponse(200, {{"object", "list"}, {"data", Json::array({ModelJson()})}});
  }

  Async<HttpResponse> OneModel(const HttpRequest& request) {
    if (request.parts.front() == model_.name()) co_return server::JsonResponse(200, ModelJson());
    llm::OpenAiFault fault;
    fault.status = 404;
    fault.message = fmt::format("model: this server has \"{}\"", model_.name());
    fault.param = "model";
    fault.code = "model_not_found";
    co_return LlmFault(fault);
  }

  Async<HttpResponse> Health(const HttpRequest&) {
    if (const auto failure = engine_.failure()) co_return LlmFault(FaultOf(*failure));
    co_return server::JsonResponse(200, {{"status", "ok"}, {"model", model_.name()}});
  }

  Async<HttpResponse> Metrics(const HttpRequest&) {
    HttpResponse response;
    response.headers = {{"content-type", "text/plain; version=0.0.4"}};
    response.body = LlmMetrics(engine_.stats(), engine_.open_requests(), !engine_.failure());
    co_return response;
  }

  Async<HttpResponse> Chat(const HttpRequest& request) { return Generate(request, true); }
  Async<HttpResponse> Text(const HttpRequest& request) { return Generate(request, false); }

  Async<HttpResponse> Generate(const HttpRequest& request, bool is_chat) {
    if (const auto failure = engine_.failure()) co_return LlmFault(FaultOf(*failure));
    if (engine_.open_requests() >= settings_.max_requests) co_return TooMany();
    auto read = llm::ReadOpenAiRequest(request.body, is_chat, model_,
                                       {.max_length = engine_.facts().max_length}, FreshNumber());
    if (!read) co_return LlmFault(read.error());
    const bool is_stream = read->is_stream;
    const std::uint64_t number = ++requests_;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::system_clock::now().time_since_epoch());
    llm::OpenAiAnswer answer(
        model_, std::move(*read),
        fmt::format("{}-{:x}{:x}", is_chat ? "chatcmpl" : "cmpl", FreshNumber(), number),
        seconds.count());
    auto exchange = std::make_shared<LlmExchange>(engine_, wakes_, clock_,
                                                  fmt::format("{}", number), std::move(answer));
    exchange->Submit();
    auto hold = std::make_shared<StreamHold>(exchange, request.gone);
    if (is_stream) {
      HttpResponse response = server::StreamResponse([hold] { return NextLlmPiece(hold); });
      response.headers.emplace_back("x-accel-buffering", "no");
      co_return response;
    }
    while (true) {
      const LlmExchange::State state = co_await exchange->Next(request.gone);
      if (state.is_finished) co_return server::JsonResponse(200, exchange->answer().Whole());
      if (state.failure) co_return LlmFault(FaultOf(*state.failure));
      if (state.is_gone) {
        co_return LlmFault(FaultOf({Errc::kUnavailable, "the server is shutting down"}));
      }
    }
  }

  HttpResponse TooMany() const {
    llm::OpenAiFault fault;
    fault.status = 429;
    fault.message = fmt::format("{} requests are open; try again soon", settings_.max_requests);
    fault.type = "rate_limit_error";
    fault.code = "too_many_requests";
    HttpResponse response = LlmFault(fault);
    response.headers.emplace_back("retry-after", "1");
    return response;
  }

  using Self = ListeningLlmServer;

  llm::EngineProcess& engine_;
  const llm::TextModel& model_;
  Clock& clock_;
  const LlmHttpSettings settings_;
  const std::int64_t created_ = std::chrono::duration_cast<std::chrono::seconds>(
                                    std::chrono::system_clock::now().time_since_epoch())
                                    .count();
  HttpShell shell_;
  LlmWakes wakes_;
  std::atomic<std::uint64_t> requests_ = 0;
};

}  // namespace

Result<std::unique_ptr<LlmHttpServer>> StartLlmHttp(llm::EngineProcess& engine,
                                                    const llm::TextModel& model, Clock& clock,
                                                    LlmHttpSettings settings) {
  auto server = std::make_unique<ListeningLlmServer>(engine, model, clock, std::move(settings));
  if (auto listening = server->Listen(); !listening) return listening.error();
  return std::unique_ptr<LlmHttpServer>(std::move(server));
}

}  // namespace hone::app
