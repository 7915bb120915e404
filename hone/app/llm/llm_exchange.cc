// SPDX-License-Identifier: Apache-2.0
#include "hone/app/llm/llm_exchange.h"

#include <utility>

#include "hone/server/http/event_stream.h"

namespace hone::app {
namespace {

class PromptListener final : public llm::GenerationListener {
 public:
  PromptListener(std::shared_ptr<LlmExchange> exchange, std::size_t prompt)
      : exchange_(std::move(exchange)), prompt_(prompt) {}

  void OnEvent(llm::GenerationEvent event) override { exchange_->OnEvent(prompt_, event); }
  void OnFailure(const Error& error) override { exchange_->OnFailure(error); }

 private:
  const std::shared_ptr<LlmExchange> exchange_;
  const std::size_t prompt_;
};

}  // namespace

LlmExchange::LlmExchange(llm::EngineProcess& engine, LlmWakes& wakes, Clock& clock, std::string key,
                         llm::OpenAiAnswer answer)
    : engine_(engine),
      wakes_(wakes),
      clock_(clock),
      key_(std::move(key)),
      answer_(std::move(answer)),
      open_(answer_.request().prompts.size()) {
  if (answer_.request().is_stream) text_ = answer_.StreamBegin();
}

void LlmExchange::Submit() {
  const llm::OpenAiRequest& request = answer_.request();
  for (std::size_t i = 0; i < request.prompts.size(); ++i) {
    llm::GenerationRequest wanted = request.generation;
    wanted.prompt = request.prompts[i];
    wanted.seed += i;
    auto listener = std::make_shared<PromptListener>(shared_from_this(), i);
    const llm::RequestId id = engine_.Submit(std::move(wanted), std::move(listener));
    const std::lock_guard lock(mutex_);
    if (!answer_.IsFinished(i)) open_[i] = id;
  }
}

void LlmExchange::Cancel() {
  std::vector<llm::RequestId> open;
  {
    const std::lock_guard lock(mutex_);
    is_left_ = true;
    open.swap(open_);
    open_.resize(open.size());
  }
  for (const llm::RequestId id : open) {
    if (id != 0) engine_.Cancel(id);
  }
}

void LlmExchange::OnEvent(std::size_t prompt, const llm::GenerationEvent& event) {
  llm::RequestId unneeded = 0;
  {
    const std::lock_guard lock(mutex_);
    text_ += answer_.Add(prompt, event);
    if (answer_.IsFinished(prompt)) unneeded = std::exchange(open_[prompt], 0);
    if (answer_.is_finished() && answer_.request().is_stream) text_ += answer_.StreamEnd();
    if (!is_left_) wakes_.Call(key_);
  }
  if (unneeded != 0) engine_.Cancel(unneeded);  // A stop word ended it; the engine knows none.
}

void LlmExchange::OnFailure(const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;
    if (!is_left_) wakes_.Call(key_);
  }
}

LlmExchange::State LlmExchange::Take() {
  const std::lock_guard lock(mutex_);
  State state;
  state.text = std::exchange(text_, "");
  state.is_finished = answer_.is_finished();
  state.failure = failure_;
  return state;
}

server::Async<LlmExchange::State> LlmExchange::Next(std::stop_token gone) {
  const auto waiter = wakes_.Register(key_);
  State state = Take();
  if (!state.text.empty() || state.is_finished || state.failure) co_return state;
  const auto woken = co_await waiter->Wait(clock_.Now() + server::kHeartbeat, gone);
  state = Take();
  state.is_gone = woken == server::WakeReason::kGone || woken == server::WakeReason::kClosing;
  co_return state;
}

}  // namespace hone::app
