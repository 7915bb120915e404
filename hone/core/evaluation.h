// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/metric.h"
#include "hone/core/result.h"
#include "hone/core/task.h"

namespace hone {

// What became of a candidate. A failure of the service is an Error, never an outcome.
enum class Outcome { kAccepted, kRejected, kBuildFailed, kCrashed, kTimedOut, kWrong, kCheated };

// "accepted", "build_failed", …: the words of JSON, tables and docs.
std::string_view NameOf(Outcome outcome);
Result<Outcome> OutcomeNamed(std::string_view name);

// One measured run.
struct Sample {
  Arm arm = Arm::kCandidate;
  std::map<std::string, Reading> metrics;
  std::map<std::string, double> observations;  // What a learner may see besides; deltas of the run.
  std::vector<std::string> marks;              // Why not to trust it fully: "steal 7 %".
  WallTime started;
  std::chrono::microseconds duration{0};
  std::string output{};  // The end of what it printed, where the domain keeps that.

  bool operator==(const Sample&) const = default;
};

// Something a person or a test can look at: a compiler's message, a log's tail.
struct Evidence {
  std::string what;
  std::string text;

  bool operator==(const Evidence&) const = default;
};

// Where an evaluation comes from.
struct Provenance {
  std::string worker;
  std::string version;
  std::uint64_t generation = 0;  // Of the lease under which it was settled.
  WallTime started;
  WallTime finished;
  std::map<std::string, std::string> facts;  // About the machine, as far as they bear on trust.

  bool operator==(const Provenance&) const = default;
};

// What happened to a task. Samples stand in the order in which they were run.
struct Evaluation {
  TaskId task;
  Outcome outcome = Outcome::kAccepted;
  std::string reason;           // Empty if accepted; else one sentence for people.
  std::vector<Sample> samples;  // Of both arms; kept in full, whatever the outcome.
  std::vector<Metric> metrics;  // Of the candidate's runs.
  std::vector<Evidence> evidence;
  Provenance provenance;

  bool operator==(const Evaluation&) const = default;
};

}  // namespace hone
