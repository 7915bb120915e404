// SPDX-License-Identifier: Apache-2.0
#include "hone/server/wake_list.h"

namespace hone {

WakeList::Ticket::Ticket(WakeList& list) : list_(list), wake_(std::make_shared<Wake>(list.post_)) {
  const std::lock_guard lock(list_.mutex_);
  place_ = list_.waiting_.insert(list_.waiting_.end(), wake_);
  if (list_.is_closed_) wake_->Deliver(WakeReason::kClosing);
}

WakeList::Ticket::~Ticket() {
  const std::lock_guard lock(list_.mutex_);
  list_.waiting_.erase(place_);
}

Async<WakeReason> WakeList::Ticket::Wait(Clock::Monotonic until, std::stop_token gone) {
  const std::shared_ptr<Wake> wake = wake_;
  const Alarms::Id alarm =
      list_.alarms_.Set(until, [wake] { wake->Deliver(WakeReason::kTimeout); });
  WakeReason reason = WakeReason::kTimeout;
  {
    const std::stop_callback on_gone(gone, [wake] { wake->Deliver(WakeReason::kGone); });
    reason = co_await wake->Receive();
  }
  list_.alarms_.Clear(alarm);
  co_return reason;
}

std::unique_ptr<WakeList::Ticket> WakeList::Enter() {
  return std::unique_ptr<Ticket>(new Ticket(*this));
}

void WakeList::CallAll() {
  const std::lock_guard lock(mutex_);
  for (const auto& wake : waiting_) wake->Deliver(WakeReason::kCall);
}

void WakeList::Close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  for (const auto& wake : waiting_) wake->Deliver(WakeReason::kClosing);
}

std::size_t WakeList::size() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

}  // namespace hone
