// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hone/core/candidate.h"

namespace hone {

using TaskId = std::string;

// Wall-clock time, for what is stored and compared between machines.
using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;

// A domain's settings by name; each domain declares which it knows.
using Options = std::map<std::string, std::string>;

// What a worker offers, or what a task asks for.
struct Capabilities {
  std::set<std::string> names;
  std::int64_t memory_mib = 0;

  bool Cover(const Capabilities& needs) const;
  bool operator==(const Capabilities&) const = default;
};

// Which side of a comparison a run belongs to.
enum class Arm { kBaseline, kCandidate };

// A candidate, plus how to evaluate it, by when, with what priority, on what kind of worker.
struct Task {
  TaskId id;
  std::string domain;
  Options options;
  Candidate candidate;
  std::optional<Candidate> baseline;  // Needed if `order` names the baseline.

  // The runs to make, in this order, by one worker, back to back.
  std::vector<Arm> order;
  std::uint64_t seed = 0;     // Of the domain's own randomness in this task.
  std::int64_t position = 0;  // How many runs the campaign planned before this task.
  std::chrono::milliseconds run_timeout{60'000};  // A run that takes longer has timed out.

  // For whom: a campaign, or a name that workers are told. Only a worker that serves this owner
  // takes the task; empty: any worker that serves everybody. What changes a host has an owner.
  std::string owner;

  // Whose client submitted it: a digest of the token, which servers keep clients apart by. Empty:
  // nobody's in particular. Workers do not look at it.
  std::string submitter;

  Capabilities needs;
  int priority = 0;                  // Higher goes first.
  std::optional<WallTime> deadline;  // Settled as expired if nobody finished it by then.
  int max_attempts = 3;              // Lost leases and service failures before it is abandoned.

  bool operator==(const Task&) const = default;
};

}  // namespace hone
