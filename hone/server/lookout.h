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
#include "hone/server/alarms.h"
#include "hone/server/async.h"
#include "hone/server/bulletin.h"
#include "hone/server/http_message.h"
#include "hone/server/wake_list.h"

namespace hone {

// Looks at something on behalf of all who watch it: once for all of them, and not at all while
// nobody does. Each is told what changed since he was told last, so one who reads slowly gets less,
// and nobody waits for him. Safe for concurrent use.
class Lookout {
 public:
  struct Pace {
    std::chrono::milliseconds least{500};   // Between two looks, however often it is called.
    std::chrono::milliseconds most{1'000};  // Between two looks, if nobody calls.
  };
  using Look = std::function<Result<Bulletin::Items>()>;              // May block for a moment.
  using Tell = std::function<std::string(const Bulletin::Changes&)>;  // As server-sent events.

  // `look` runs in a thread of its own, `post` resumes those who watch. What is passed by reference
  // outlives this.
  Lookout(Clock& clock, Alarms& alarms, Post post, Look look, Tell tell, Pace pace);
  Lookout(Clock& clock, Alarms& alarms, Post post, Look look, Tell tell)
      : Lookout(clock, alarms, std::move(post), std::move(look), std::move(tell), Pace{}) {}
  ~Lookout();

  void Call();   // Something changed, perhaps. Short, and does not block.
  void Close();  // Ends all streams.

  // A stream for one who watches: everything as it is now, then what changes.
  HttpResponse Watch(const HttpRequest& request);

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
  WakeList wakes_;
  const Look look_;
  const Tell tell_;
  const Pace pace_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // State below is protected by mutex_.
  Bulletin bulletin_;
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

}  // namespace hone
