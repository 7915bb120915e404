// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/ended_sandboxes.h"

#include <utility>

namespace hone {

EndedSandboxes::EndedSandboxes() : thread_([this] { SeeOff(); }) {}

EndedSandboxes::~EndedSandboxes() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  added_.notify_one();
  thread_.join();
}

void EndedSandboxes::Add(std::unique_ptr<RunningSandbox> sandbox, Hold hold) {
  if (!sandbox) return;
  sandbox->Kill();
  {
    const std::lock_guard lock(mutex_);
    ended_.push_back({std::move(hold), std::move(sandbox)});
  }
  added_.notify_one();
}

void EndedSandboxes::SeeOff() {
  std::unique_lock lock(mutex_);
  for (;;) {
    added_.wait(lock, [this] { return is_over_ || !ended_.empty(); });
    if (ended_.empty()) return;
    Ended leaving = std::move(ended_.front());
    ended_.pop_front();
    lock.unlock();
    {
      const std::shared_ptr<void> held = leaving.hold ? leaving.hold() : nullptr;
      leaving.sandbox.reset();
    }
    leaving = {};
    lock.lock();
  }
}

}  // namespace hone
