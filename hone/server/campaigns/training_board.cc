// SPDX-License-Identifier: Apache-2.0
#include "hone/server/campaigns/training_board.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "hone/server/http/event_stream.h"

namespace hone::server {
namespace {

constexpr std::chrono::milliseconds kMinPause{100};  // Between two calls for updates alone.

// Rises faster than updates are made, and stays a whole number in JavaScript.
std::uint64_t FirstNumber(WallTime now) {
  constexpr std::uint64_t kPerMillisecond = 1000;
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  return static_cast<std::uint64_t>(since.count()) * kPerMillisecond;
}

}  // namespace

TrainingBoard::TrainingBoard(Clock& clock, TimerQueue& timers, Post post)
    : clock_(clock), wakes_(timers, std::move(post)) {}

void TrainingBoard::Begin(const Json& training, std::function<void()> stop) {
  {
    const std::lock_guard lock(mutex_);
    training_ = training;
    ++version_;
    stop_ = std::move(stop);
    updates_.clear();
    number_ = std::max(number_, FirstNumber(clock_.Wall()));
    has_ended_ = false;
  }
  wakes_.Call();
}

void TrainingBoard::Show(const Json& training) {
  {
    const std::lock_guard lock(mutex_);
    if (training_ == training) return;
    training_ = training;
    ++version_;
  }
  wakes_.Call();
}

void TrainingBoard::Add(const Json& update) {
  {
    const std::lock_guard lock(mutex_);
    ++number_;
    updates_.push_back({number_, EventText("update", update, number_)});
    if (updates_.size() > kMaxUpdates) Thin();
    // The next update, or the end, brings along what is not told of now.
    const Clock::Monotonic now = clock_.Now();
    if (now - called_ < kMinPause) return;
    called_ = now;
  }
  wakes_.Call();
}

void TrainingBoard::Thin() {
  std::size_t kept = 0;
  for (std::size_t i = updates_.size() % 2 == 0 ? 1 : 0; i < updates_.size(); i += 2) {
    updates_[kept++] = std::move(updates_[i]);
  }
  updates_.resize(kept);
}

void TrainingBoard::End() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    stop_ = nullptr;
  }
  wakes_.Call();
}

Result<Json> TrainingBoard::Training() const {
  const std::lock_guard lock(mutex_);
  if (training_.is_null()) return Error{Errc::kNotFound, "training: none has begun here"};
  return training_;
}

Result<void> TrainingBoard::Stop() {
  std::function<void()> stop;
  {
    const std::lock_guard lock(mutex_);
    if (!stop_) return Error{Errc::kConflict, "training: it has ended"};
    stop = stop_;
  }
  stop();
  return {};
}

std::string TrainingBoard::Since(Cursor& cursor, std::size_t max_bytes) const {
  const std::lock_guard lock(mutex_);
  if (training_.is_null()) return "";
  std::string text;
  if (cursor.version != version_) text = EventText("training", training_);
  cursor.version = version_;
  if (cursor.update > number_) cursor.update = 0;  // Of a process whose clock was ahead.
  auto next = std::upper_bound(
      updates_.begin(), updates_.end(), cursor.update,
      [](std::uint64_t seen, const Update& update) { return seen < update.number; });
  for (; next != updates_.end() && text.size() < max_bytes; ++next) {
    text += next->text;
    cursor.update = next->number;
  }
  if (has_ended_ && next == updates_.end() && !cursor.has_ended) {
    text += EventText("end", Json::object());
    cursor.has_ended = true;
  }
  return text;
}

}  // namespace hone::server
