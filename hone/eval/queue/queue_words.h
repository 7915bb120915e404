// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "hone/core/evaluation.h"
#include "hone/core/task.h"

// What is said to a queue and heard from it: see task_queue.h.
namespace hone {

// The right to settle one task, held by one worker at a time. Every claim raises the
// generation, so a worker that stalled past its lease cannot overwrite its successor's result.
struct Lease {
  TaskId task;
  std::uint64_t generation = 0;

  bool operator==(const Lease&) const = default;
};

struct Claim {
  Lease lease;
  Task task;
};

// The owner of tasks that anybody's worker may take.
inline constexpr const char* kEverybody = "";

// Who takes a task, and whose.
struct WorkerIdentity {
  std::string name;
  Capabilities has;
  std::set<std::string> serves{kEverybody};  // Owners; it takes no other's tasks.
};

// Why a task ended without an evaluation.
enum class Dropped {
  kCancelled,  // The client no longer wants it.
  kExpired,    // Its deadline passed.
  kAbandoned,  // It used up its attempts: workers died or the service failed each time.
};

// How a task ended.
struct Settlement {
  struct Drop {
    Dropped why;
    std::string reason;
  };
  std::variant<Evaluation, Drop> end;
};

// One level of priority goes before what was pushed this much earlier.
inline constexpr std::chrono::seconds kHeadStart{60};

enum class TaskState { kWaiting, kHeld, kSettled };

// Where a task stands.
struct TaskView {
  Task task;
  TaskState state = TaskState::kWaiting;
  WallTime pushed;
  std::optional<WallTime> taken;  // By the worker that has it, or had it last.
  std::optional<WallTime> settled;
  int attempts = 0;    // Those that failed: leases that ran out, and returns.
  std::string worker;  // That has it, or had it last; empty if nobody took it yet.
  std::int64_t ahead =
      0;  // Waiting tasks of its owner that go first; not counted beyond kFarthest.
  std::shared_ptr<const Settlement> settlement = nullptr;  // How it ended; null unless settled.

  static constexpr std::int64_t kFarthest = 10'000;
};

struct QueueCounts {
  struct Level {
    int priority = 0;
    std::int64_t waiting = 0;
    WallTime oldest;  // When the oldest of them was pushed.

    bool operator==(const Level&) const = default;
  };
  std::vector<Level> waiting;  // Highest priority first; only levels at which some wait.
  std::int64_t held = 0;
  std::int64_t settled = 0;  // And not forgotten.
};

// What a worker says of itself.
struct WorkerCard {
  std::string name;
  std::string host;
  std::string version;
  Capabilities has;
  WallTime since;                            // When it started.
  WallTime seen;                             // When it announced this.
  std::map<std::string, std::string> facts;  // About its machine, for people.
  std::set<std::string> serves{kEverybody};  // As in WorkerIdentity.

  bool operator==(const WorkerCard&) const = default;
};

// One entry of the feed.
struct Settled {
  std::uint64_t sequence = 0;
  TaskId task;

  bool operator==(const Settled&) const = default;
};

}  // namespace hone
