// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/sqlite/shared_sync.h"

namespace hone {

Result<void> SharedSync::Wait() {
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = begun_ + 1;  // One that began before may have missed our writing.
  while (done_ < mine) {
    if (begun_ > done_) {
      ended_.wait(lock);
      continue;
    }
    const std::uint64_t number = ++begun_;
    lock.unlock();
    Result<void> synced = sync_();
    lock.lock();
    done_ = number;
    if (!synced) {
      failed_ = number;
      error_ = synced.error();
    }
    ended_.notify_all();
  }
  if (failed_ >= mine) return error_;
  return {};
}

}  // namespace hone
