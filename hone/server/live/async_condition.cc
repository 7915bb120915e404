// SPDX-License-Identifier: Apache-2.0
#include "hone/server/live/async_condition.h"

namespace hone::server {

AsyncCondition::Waiter::Waiter(AsyncCondition& list)
    : list_(list), wake_(std::make_shared<Wake>(list.post_)) {
  const std::lock_guard lock(list_.mutex_);
  place_ = list_.waiting_.insert(list_.waiting_.end(), wake_);
  if (list_.is_closed_) wake_->Deliver(WakeReason::kClosing);
}

AsyncCondition::Waiter::~Waiter() {
  const std::lock_guard lock(list_.mutex_);
  list_.waiting_.erase(place_);
}

Async<WakeReason> AsyncCondition::Waiter::Wait(Clock::Monotonic until, std::stop_token gone) {
  const std::shared_ptr<Wake> wake = wake_;
  const TimerQueue::Id alarm =
      list_.timers_.Set(until, [wake] { wake->Deliver(WakeReason::kTimeout); });
  WakeReason reason = WakeReason::kTimeout;
  {
    const std::stop_callback on_gone(gone, [wake] { wake->Deliver(WakeReason::kGone); });
    reason = co_await wake->Receive();
  }
  list_.timers_.Clear(alarm);
  co_return reason;
}

std::unique_ptr<AsyncCondition::Waiter> AsyncCondition::Register() {
  return std::unique_ptr<Waiter>(new Waiter(*this));
}

void AsyncCondition::CallAll() {
  const std::lock_guard lock(mutex_);
  for (const auto& wake : waiting_) wake->Deliver(WakeReason::kCall);
}

void AsyncCondition::Close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  for (const auto& wake : waiting_) wake->Deliver(WakeReason::kClosing);
}

std::size_t AsyncCondition::size() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

}  // namespace hone::server
