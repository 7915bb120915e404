// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/run_slots.h"

#include <utility>

#include "hone/core/check.h"

namespace hone {

RunSlots::RunSlots(std::vector<RunSlot> slots) : slots_(std::move(slots)) {
  HONE_CHECK(!slots_.empty());
  for (std::size_t i = slots_.size(); i > 0; --i) free_.push_back(i - 1);
}

RunSlots::Hold::Hold(Hold&& other) noexcept
    : slots_(std::exchange(other.slots_, nullptr)), index_(other.index_) {}

RunSlots::Hold::~Hold() {
  if (slots_ != nullptr) slots_->Release(index_);
}

const RunSlot& RunSlots::Hold::slot() const { return slots_->slots_[index_]; }

std::optional<RunSlots::Hold> RunSlots::Acquire(const std::stop_token& stop) {
  Waiter waiter;
  // The callback takes the mutex, so it is made before the lock and destroyed after it.
  const std::stop_callback call(stop, [this, &waiter] {
    const std::lock_guard hold(mutex_);
    waiter.called.notify_one();
  });
  std::unique_lock lock(mutex_);
  if (stop.stop_requested()) return std::nullopt;
  if (!free_.empty()) {
    const std::size_t index = free_.back();
    free_.pop_back();
    return Hold(this, index);
  }
  line_.push_back(&waiter);
  waiter.called.wait(lock, [&] { return waiter.given || stop.stop_requested(); });
  if (waiter.given) return Hold(this, *waiter.given);
  std::erase(line_, &waiter);
  return std::nullopt;
}

std::size_t RunSlots::waiting() const {
  const std::lock_guard lock(mutex_);
  return line_.size();
}

void RunSlots::Release(std::size_t index) {
  const std::lock_guard lock(mutex_);
  if (line_.empty()) {
    free_.push_back(index);
    return;
  }
  Waiter* next = line_.front();
  line_.pop_front();
  next->given = index;
  next->called.notify_one();
}

}  // namespace hone
