// SPDX-License-Identifier: Apache-2.0
#include "hone/env/thread_team.h"

namespace hone::env {

ThreadTeam::ThreadTeam(std::size_t threads) {
  for (std::size_t i = 1; i < threads; ++i) helpers_.emplace_back([this] { Help(); });
}

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  called_.notify_all();
  helpers_.clear();
}

void ThreadTeam::Do(std::size_t count, const std::function<void(std::size_t)>& part) {
  {
    const std::lock_guard lock(mutex_);
    part_ = &part;
    count_ = count;
    next_ = 0;
    busy_helpers_ = helpers_.size();
    ++jobs_;
  }
  called_.notify_all();
  TakeParts();
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_helpers_ == 0; });
}

void ThreadTeam::Help() {
  std::uint64_t seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      called_.wait(lock, [&] { return is_over_ || jobs_ != seen; });
      if (is_over_) return;
      seen = jobs_;
    }
    TakeParts();
    const std::lock_guard lock(mutex_);
    if (--busy_helpers_ == 0) done_.notify_one();
  }
}

void ThreadTeam::TakeParts() {
  for (std::size_t i = next_++; i < count_; i = next_++) (*part_)(i);
}

}  // namespace hone::env
