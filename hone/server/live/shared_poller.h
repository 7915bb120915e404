// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/server/http/async.h"
#include "hone/server/http/http_message.h"
#include "hone/server/live/async_condition.h"
#include "hone/server/live/timer_queue.h"
#include "hone/server/live/versioned_map.h"

namespace hone::server {

// Looks at something on behalf of all who watch it: once for all of them, and not at all while
// nobody does. Each is told what changed since he was told last, so one who reads slowly gets less,
// and nobody waits for him. Safe for concurrent use.
class SharedPoller {
 public:
  struct PollInterval {
    std::chrono::milliseconds min{500};    // Between two looks, however often it is called.
    std::chrono::milliseconds max{1'000};  // Between two looks, if nobody calls.
  };
  using Look = std::function<Result<VersionedMap::Items>()>;              // May block for a moment.
  using Tell = std::function<std::string(const VersionedMap::Changes&)>;  // As server-sent events.

  // `look` runs in a thread of its own, `post` resumes those who watch. What is passed by reference
  // outlives this.
  SharedPoller(Clock& clock, TimerQueue& timers, Post post, Look look, Tell tell,
               PollInterval poll_interval);
  SharedPoller(Clock& clock, TimerQueue& timers, Post post, Look look, Tell tell)
      : SharedPoller(clock, timers, std::move(post), std::move(look), std::move(tell),
                     PollInterval{}) {}
  ~SharedPoller();

  void Call();   // Something changed, perhaps. Short, and does not block.
  void Close();  // Ends all streams.

  // A stream for one who watches: everything as it is now, then what changes. With `show`, what
  // that makes of each change, which is called for one change after the other.
  using Show = std::function<VersionedMap::Changes(const VersionedMap::Changes&)>;
  HttpResponse Watch(const HttpRequest& request, Show show = nullptr);

  std::size_t watchers() const;
  std::uint64_t looks() const;  // Taken so far.

 private:
  class Watcher;

  Async<std::optional<std::string>> NextPiece(std::shared_ptr<Watcher> watcher);
  std::optional<std::string> Collect(Watcher& watcher) const;  // Nullopt: it cannot be looked at.
  void Run();
  void LookOnce(std::unique_lock<std::mutex>& lock);
  Clock::Monotonic NextLook() const;  // With mutex_ held.

  Clock& clock_;
  AsyncCondition wakes_;
  const Look look_;
  const Tell tell_;
  const PollInterval poll_interval_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // State below is protected by mutex_.
  VersionedMap versions_;
  std::size_t watchers_ = 0;
  std::uint64_t looks_ = 0;
  bool is_called_ = false;
  bool has_newcomer_ = false;  // Somebody waits for his first look.
  bool is_ending_ = false;
  bool has_failed_ = false;      // The last look did.
  Clock::Monotonic looked_;      // When the last look ended.
  Clock::Monotonic not_before_;  // The next one.
  std::thread thread_;           // Last, so that what it uses is there.
};

}  // namespace hone::server
