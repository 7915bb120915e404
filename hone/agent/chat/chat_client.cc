// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/chat_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "hone/base/log.h"
#include "hone/core/check.h"

namespace hone::agent {
namespace {

using Fault = ChatAttempt::Fault;
using Cost = ChatAttempt::Cost;
using std::chrono::milliseconds;

constexpr milliseconds kFirstRest{500};
constexpr milliseconds kLongestRest{8'000};
constexpr milliseconds kLongestRetryAfter{120'000};  // What says more is not waited for.
constexpr std::size_t kMaxModelsShown = 8;

std::string ListOf(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), kMaxModelsShown); ++k) {
    text += (k == 0 ? "" : ", ") + names[k];
  }
  return names.size() > kMaxModelsShown ? text + ", …" : text;
}

}  // namespace

struct ChatClient::Asking {
  ChatRequest request;
  std::string model;
  ChatUsage max_usage;        // That one try can use.
  std::int64_t guess = 0;     // Tokens that one try probably takes.
  Clock::Monotonic end;       // No answer after this.
  std::set<std::size_t> out;  // Endpoints that cannot answer this.
  Error last{Errc::kUnavailable, "the language model: no try was made"};
  bool was_shown = false;  // Pieces of a try that failed.
};

ChatClient::ChatClient(ChatClientParts parts, Clock& clock)
    : parts_(std::move(parts)),
      clock_(clock),
      turns_(parts_.endpoints.size()),
      model_(parts_.model),
      jitter_(parts_.retry_seed) {
  HONE_CHECK(!parts_.endpoints.empty() && parts_.budget && parts_.rate);
}

std::string ChatClient::name() const {
  std::string places;
  for (const auto& endpoint : parts_.endpoints) {
    places += (places.empty() ? "" : ", ") + endpoint->name();
  }
  const std::lock_guard lock(mutex_);
  return fmt::format("{} at {}", model_.empty() ? "the model" : model_, places);
}

Result<ChatAnswer> ChatClient::Ask(const ChatRequest& request, const ChatListener& listener) {
  if (request.messages.empty() || request.max_tokens < 1) {
    return Error{Errc::kInvalidArgument, "a request to a language model needs messages and tokens"};
  }
  Asking asking;
  asking.request = request;
  asking.end = clock_.Now() + parts_.timeout;
  if (!asking.request.temperature) asking.request.temperature = parts_.temperature;
  if (!asking.request.seed) asking.request.seed = parts_.seed;
  asking.max_usage = {.prompt_tokens = MaxPromptTokens(request),
                      .answer_tokens = request.max_tokens};
  asking.guess = asking.max_usage.prompt_tokens / 4 + request.max_tokens;
  const auto count = static_cast<int>(parts_.endpoints.size());
  for (int tries = std::max(parts_.max_retries + 1, count); tries > 0; --tries) {
    const auto endpoint = ChooseEndpoint(asking);
    if (!endpoint) return endpoint.error();
    auto attempt = TryOnce(asking, *endpoint, listener);
    if (!attempt) return attempt.error();
    if (attempt->answer) return std::move(attempt->answer);
    asking.last = attempt->answer.error();
    if (attempt->fault == Fault::kOfRequest || parts_.stop.stop_requested()) break;
    if (attempt->fault == Fault::kOfEndpoint) asking.out.insert(*endpoint);
    Rest(*endpoint, *attempt);
    LogEvent(LogLevel::kDebug, "llm_retry", {{"why", asking.last.message}, {"left", tries - 1}});
  }
  return asking.last;
}

// The next in turn that is neither out nor resting; waits where all of them rest.
Result<std::size_t> ChatClient::ChooseEndpoint(const Asking& asking) {
  const std::size_t count = turns_.size();
  if (asking.out.size() == count) return asking.last;
  Clock::Monotonic earliest = Clock::Monotonic::max();
  std::size_t chosen = count;
  {
    const std::lock_guard lock(mutex_);
    const auto now = clock_.Now();
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t one = (next_ + k) % count;
      if (asking.out.contains(one)) continue;
      const auto from = std::max(turns_[one].rests_until, now);
      if (from < earliest) {
        earliest = from;
        chosen = one;
      }
    }
    next_ = (chosen + 1) % count;
  }
  if (earliest > asking.end) {
    return Error{asking.last.code,
                 fmt::format("{}; no endpoint can be asked again in time", asking.last.message)};
  }
  if (SleepUntilStop(clock_, earliest - clock_.Now(), parts_.stop)) {
    return Error{Errc::kUnavailable, "the language model: stopped"};
  }
  return chosen;
}

OpenAiEndpoint::Limits ChatClient::LimitsUntil(Clock::Monotonic end) const {
  const auto left = std::chrono::ceil<milliseconds>(end - clock_.Now());
  return {.total = std::max(left, milliseconds(1)), .idle = parts_.idle_timeout};
}

// An Error here ends the asking: the budget or the rate does not allow it.
Result<ChatAttempt> ChatClient::TryOnce(Asking& asking, std::size_t endpoint,
                                        const ChatListener& listener) {
  if (asking.model.empty()) {
    auto model = ModelName(asking);
    if (!model) {
      const bool is_passing = model.error().code == Errc::kUnavailable;
      return ChatAttempt{.answer = model.error(),
                         .fault = is_passing ? Fault::kPassing : Fault::kOfRequest};
    }
    asking.model = std::move(*model);
  }
  const auto ticket = parts_.rate->Take(asking.guess, asking.end, parts_.stop);
  if (!ticket) return ticket.error();
  auto reservation = parts_.budget->Reserve(asking.max_usage, parts_.price, parts_.stop);
  if (!reservation) return reservation.error();
  const ChatListener watch = [&](std::string_view piece) {
    asking.was_shown = true;
    listener(piece);
  };
  if (asking.was_shown && listener) {
    listener("");
    asking.was_shown = false;
  }
  ChatAttempt attempt =
      parts_.endpoints[endpoint]->Ask(asking.request, asking.model, LimitsUntil(asking.end),
                                      parts_.stop, listener ? watch : ChatListener());
  Account(attempt, asking, *reservation, *ticket);
  if (attempt.answer) NoteSuccess(endpoint);
  return attempt;
}

void ChatClient::Account(const ChatAttempt& attempt, const Asking& asking,
                         ChatBudget::Reservation& reservation, std::uint64_t ticket) {
  if (attempt.cost == Cost::kNothing) {
    reservation.Release();
    parts_.rate->Correct(ticket, 0);
  }
  if (attempt.cost != Cost::kAsUsed) return;  // Unknown: all that was reserved is spent.
  const ChatUsage& usage = attempt.answer->usage;
  parts_.rate->Correct(ticket, usage.prompt_tokens + usage.answer_tokens);
  reservation.Settle(attempt.is_usage_told ? usage : asking.max_usage);
}

// The only model of the endpoints that can be asked now, once one of them has told its name.
Result<std::string> ChatClient::ModelName(const Asking& asking) {
  {
    const std::lock_guard lock(mutex_);
    if (!model_.empty()) return model_;
  }
  Error last = asking.last;
  for (const auto& endpoint : parts_.endpoints) {
    const auto names = endpoint->Models(LimitsUntil(asking.end), parts_.stop);
    if (!names) {
      last = names.error();
      continue;
    }
    if (names->size() != 1) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: it has {}; choose one with --llm-model or $HONE_LLM_MODEL",
                               endpoint->name(),
                               names->empty() ? "no models" : "several models: " + ListOf(*names))};
    }
    const std::lock_guard lock(mutex_);
    model_ = names->front();
    return model_;
  }
  return last;
}

void ChatClient::Rest(std::size_t endpoint, const ChatAttempt& attempt) {
  const std::lock_guard lock(mutex_);
  Turn& turn = turns_[endpoint];
  const int doublings = std::min(turn.failures++, 10);
  const auto rest = std::min(kFirstRest * (1 << doublings), kLongestRest);
  auto pause = milliseconds(
      static_cast<std::int64_t>(static_cast<double>(rest.count()) * jitter_.Uniform(0.5, 1)));
  if (attempt.retry_after) {
    const bool is_long = *attempt.retry_after > kLongestRetryAfter;
    pause = is_long ? std::chrono::duration_cast<milliseconds>(2 * parts_.timeout)
                    : std::max(*attempt.retry_after, pause);
  }
  turn.rests_until = clock_.Now() + pause;
}

void ChatClient::NoteSuccess(std::size_t endpoint) {
  const std::lock_guard lock(mutex_);
  turns_[endpoint] = {};
}

}  // namespace hone::agent
