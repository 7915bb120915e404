// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/server/live/async_condition.h"

namespace hone::server {

// The training that runs in this process, for those who look on: what it is, the numbers of every
// update, and how it ended. Who trains never waits for who looks on. Safe for concurrent use.
class TrainingBoard {
 public:
  // What is passed by reference outlives it.
  TrainingBoard(Clock& clock, TimerQueue& timers, Post post);

  // How far it may be looked back: beyond that, every second update is left out.
  static constexpr std::size_t kMaxUpdates = 20'000;

  // From now on there is this training, and nothing of another. `stop` asks it to end soon; from
  // any thread.
  void Begin(const Json& training, std::function<void()> stop);
  void Show(const Json& training);  // In place of what was shown before.
  void Add(const Json& update);
  void End();  // What was shown stays, and nothing comes any more.

  Result<Json> Training() const;  // kNotFound before the first.
  Result<void> Stop();            // kConflict: it has ended.

  // What somebody has seen. Numbers of updates rise across trainings and processes.
  struct Cursor {
    std::uint64_t update = 0;
    std::uint64_t version = 0;
    bool has_ended = false;
  };
  // What is new for him, as server-sent events, at most about so many bytes; moves the cursor.
  std::string Since(Cursor& cursor, std::size_t max_bytes) const;

  Clock& clock() { return clock_; }
  AsyncCondition& wakes() { return wakes_; }
  void Close() { wakes_.Close(); }

 private:
  struct Update {
    std::uint64_t number = 0;
    std::string text;
  };

  void Thin();  // With mutex_ held.

  Clock& clock_;
  AsyncCondition wakes_;
  mutable std::mutex mutex_;

  // State below is protected by mutex_.
  Json training_;
  std::uint64_t version_ = 0;  // Of training_.
  std::function<void()> stop_;
  std::vector<Update> updates_;
  std::uint64_t number_ = 0;  // Of the last update.
  Clock::Monotonic called_;   // When those who wait were last woken.
  bool has_ended_ = false;
};

}  // namespace hone::server
