// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/queue/abandonable_queue.h"

#include <utility>

namespace hone {

void AbandonableQueue::Abandon(const Error& why) {
  {
    const std::lock_guard lock(mutex_);
    if (!reason_) reason_ = why;
  }
  abandoned_.request_stop();
}

std::optional<Error> AbandonableQueue::Reason() {
  const std::lock_guard lock(mutex_);
  return reason_;
}

Result<void> AbandonableQueue::Push(const Task& task) {
  if (auto reason = Reason()) return *reason;
  return below().Push(task);
}

Result<std::optional<Settlement>> AbandonableQueue::Await(const TaskId& task, Duration wait_timeout,
                                                          std::stop_token stop) {
  std::stop_source either;
  const auto end = [&either] { either.request_stop(); };
  const std::stop_callback on_stop(std::move(stop), end);
  const std::stop_callback on_abandoned(abandoned_.get_token(), end);
  auto settled = below().Await(task, wait_timeout, either.get_token());
  if (settled && *settled) return settled;
  if (auto reason = Reason()) return *reason;
  return settled;
}

}  // namespace hone
