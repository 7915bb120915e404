// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "hone/agent/mcp/mcp_tool.h"
#include "hone/base/clock.h"
#include "hone/core/result.h"

namespace hone::agent {

enum class WorkState { kWaiting, kRunning, kDone, kFailed, kStopped };

std::string_view NameOf(WorkState state);  // "waiting", "running", "done", "failed", "stopped"

// One use of a tool, as it is now.
struct WorkView {
  std::string handle;
  std::string tool;
  WorkState state = WorkState::kWaiting;
  std::string status;                        // What it told last.
  std::shared_ptr<const ToolAnswer> answer;  // Of kDone.
  std::optional<Error> error;                // Of kFailed.
  WallTime created;
  WallTime updated;

  bool HasEnded() const { return state != WorkState::kWaiting && state != WorkState::kRunning; }
};

// Uses of tools, each in a thread of its own, under handles that nobody can guess, and which work
// only for the caller who started it and for those who see all. Safe for concurrent use.
class WorkBoard {
 public:
  struct Limits {
    std::size_t running = 8;
    std::size_t waiting = 64;
    std::size_t kept = 200;  // That have ended; the oldest are forgotten first.
  };
  using Use = std::function<Result<ToolAnswer>(const ToolRun& run)>;
  using Deadline = std::optional<Clock::Monotonic>;  // None: never.

  // Is called from one thread of the board whenever something changed, though not for every change,
  // and a last time when the work has ended or the deadline is over. It does not block.
  using Watcher = std::function<void(const WorkView& view, bool is_last)>;
  struct Watch {
    std::string handle;
    std::uint64_t number = 0;
  };

  // `clock` outlives the board.
  WorkBoard(Limits limits, Clock& clock);
  ~WorkBoard();  // Abandons everything and waits for it; watchers are not called any more.

  // The watcher may be called before this returns. kUnavailable: too many wait.
  Result<Watch> Start(std::string tool, Use use, ToolCaller caller, Deadline until,
                      Watcher watcher);

  // kNotFound if there is no such handle for this caller, or not any more.
  Result<Watch> Follow(const std::string& handle, const ToolCaller& caller, Deadline until,
                       Watcher watcher);
  Result<WorkView> Look(const std::string& handle, const ToolCaller& caller) const;

  void Unwatch(const Watch& watch);  // It may be in a last call right now.

  // `now`: what it has found is not wanted any more. kNotFound as in Follow.
  Result<void> Stop(const std::string& handle, const ToolCaller& caller, bool now);

  std::vector<WorkView> List(const ToolCaller& caller) const;  // Newest first.

 private:
  struct Work;
  struct Watching {
    std::uint64_t number = 0;
    std::shared_ptr<Work> work;
    Deadline until;
    Watcher watcher;
    std::uint64_t seen = 0;         // The work's version.
    Clock::Monotonic not_before{};  // Of the next call.
  };
  struct Due {
    Watcher watcher;
    WorkView view;
    bool is_last = false;
  };

  // Null; mutex_ is held.
  std::shared_ptr<Work> Find(const std::string& handle, const ToolCaller& caller) const;
  void Run(const std::shared_ptr<Work>& work);
  void Dispatch();
  void StartWaiting();                                // mutex_ is held.
  void Tidy();                                        // Likewise.
  std::vector<Due> CollectDue(Clock::Monotonic now);  // Likewise.
  Deadline NextCall() const;                          // Likewise.

  const Limits limits_;
  Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::shared_ptr<Work>> works_;  // Newest last. Protected by mutex_, as what follows.
  std::vector<Watching> watching_;
  std::uint64_t watches_ = 0;
  bool has_news_ = false;  // For the dispatcher.
  bool is_ending_ = false;
  std::thread dispatcher_;  // Last, so that what it uses is there.
};

}  // namespace hone::agent
