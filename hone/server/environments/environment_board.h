// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/server/environments/environment_request.h"
#include "hone/server/environments/environment_settings.h"
#include "hone/server/environments/live_environment.h"
#include "hone/server/http/async.h"
#include "hone/server/live/timer_queue.h"
#include "hone/server/service/asker.h"
#include "hone/server/service/service.h"

namespace hone::server {

// The environments that clients have open, in the memory of this server: each is its token's, and
// is closed once nobody has asked for it for a while. What they wait for goes through the service's
// queue. Safe for concurrent use.
class EnvironmentBoard {
 public:
  // What is passed by reference outlives it. `post` runs what closes those that are idle.
  EnvironmentBoard(EnvironmentSettings settings, Service& service, TimerQueue& timers, Post post);
  ~EnvironmentBoard() { Close(); }

  // Holds one environment, which is not idle meanwhile.
  class Visit {
   public:
    Visit(EnvironmentBoard& board, std::shared_ptr<LiveEnvironment> environment)
        : board_(&board), environment_(std::move(environment)) {}
    Visit(Visit&& other) noexcept
        : board_(other.board_), environment_(std::move(other.environment_)) {}
    Visit& operator=(Visit&&) = delete;
    ~Visit() {
      if (environment_) board_->Leave(environment_->identity().id);
    }

    LiveEnvironment& operator*() const { return *environment_; }
    LiveEnvironment* operator->() const { return environment_.get(); }

   private:
    EnvironmentBoard* board_;
    std::shared_ptr<LiveEnvironment> environment_;  // Null where it was moved from.
  };

  const EnvironmentSettings& settings() const { return settings_; }
  Service& service() { return service_; }

  // Makes one as this asker's, and has its baseline measured. kUnsupported: not with this start of
  // the server; kConflict: the token has too many; kUnavailable: all have.
  Result<Visit> Open(EnvironmentRequest request, const Asker& asker);

  // kNotFound: there is none of this token, or no longer; the message says why, where that is
  // known.
  Result<Visit> Find(const std::string& id, const Asker& asker);
  std::vector<std::shared_ptr<LiveEnvironment>> List(const Asker& asker);

  // Puts the task that it waits for into the queue.
  Result<void> Push(LiveEnvironment& environment, Task task, const Asker& asker);

  // Looks whether the task is settled, up to `until` and while the client is there; waiting takes
  // no thread. The environment is told. An Error is of the queue.
  Async<Result<void>> Await(LiveEnvironment& environment, TaskId task, Clock::Monotonic until,
                            std::stop_token gone, Asker asker);

  // Cancels what it waits for. Whoever asks for it later is told the reason.
  void Remove(LiveEnvironment& environment, const std::string& reason);

  void Close();  // All of them, for good.

  std::size_t size() const;

 private:
  struct Seat {
    std::shared_ptr<LiveEnvironment> environment;
    int visits = 1;
    Clock::Monotonic left;  // When the last visit ended.
  };
  struct Departed {
    std::string id;
    std::string submitter;
    std::string reason;
  };

  Result<Capabilities> CheckRequest(const EnvironmentRequest& request, const Asker& asker) const;
  Result<void> CheckConsent(const EnvironmentRequest& request) const;
  Result<void> CheckRoom(const std::string& submitter) const;  // With mutex_ held.
  Result<Visit> Admit(std::shared_ptr<LiveEnvironment> environment);
  void Leave(const std::string& id);
  void Arm();  // With mutex_ held.
  void Ring();
  void RemoveIdle();
  std::vector<std::shared_ptr<LiveEnvironment>> TakeIdle();

  const EnvironmentSettings settings_;
  Service& service_;
  TimerQueue& timers_;
  const Post post_;

  mutable std::mutex mutex_;
  // State below is protected by mutex_.
  std::map<std::string, Seat> seats_;  // By id.
  std::deque<Departed> departed_;      // The last ones.
  std::optional<TimerQueue::Id> timer_;
  bool is_closed_ = false;
};

}  // namespace hone::server
