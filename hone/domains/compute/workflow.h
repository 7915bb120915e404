// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/domains/compute/backends/backend.h"
#include "hone/domains/compute/judge_terms.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/domains/domain.h"

namespace hone::compute {

// When a candidate that is right is called once more under a sanitizer. A record is faster than
// all before it and than the reference, by a twentieth.
enum class SanitizeWhen { kNever, kRecords, kAlways };

// How thoroughly a candidate is judged: the options of the domain.
struct JudgeSettings {
  std::int64_t trials = 5;  // Of correctness, at least one per hidden shape and distribution.
  std::int64_t samples = 100;
  std::int64_t warm_up = 3;
  CacheState cache = CacheState::kFresh;
  bool waits_for_others = false;  // Who use the GPU; else it is said that they do.
  SanitizeWhen sanitize = SanitizeWhen::kRecords;
  bool are_inputs_seeded = false;  // Of the trials, by the task's seed; else nobody knows them.
  double precision = 0.01;
  std::chrono::milliseconds timing_budget{200};
  std::chrono::milliseconds build_timeout{60'000};
  // For what is not the candidate's: a machine is slow for reasons that no kernel has.
  std::chrono::milliseconds min_limit_beside{60'000};
};

class SharedState;

// What a workflow works with.
struct WorkflowContext {
  Problem problem;
  JudgeSettings settings;
  std::shared_ptr<SharedState> shared;  // What sessions share: reference runners, expected values.
  Backend* backend = nullptr;           // Of `shared`.
  JudgeTerms terms = {};
};

// The times of the phases of an evaluation: the evidence "phases".
class Phases {
 public:
  // Ends the phase before, if any. An empty name only ends it.
  void Begin(std::string name) { Change(std::move(name), false); }
  // A phase that is not the candidate's: waiting for a device, its reference.
  void BeginBeside(std::string name) { Change(std::move(name), true); }
  const std::string& current() const { return current_; }
  // What went by in phases that are not the candidate's.
  std::chrono::nanoseconds BesidesCandidate() const;
  // {"compile": 12.5, …, "order": ["compile", …]}: ms, and the order in which they were begun.
  Json ToJson() const;

 private:
  void Change(std::string name, bool is_beside);

  std::string current_;
  bool is_beside_ = false;
  std::chrono::steady_clock::time_point began_;
  std::vector<std::pair<std::string, double>> done_;
  std::chrono::nanoseconds besides_{0};  // Of the phases that are done.
};

// The order of steps by which a candidate is judged: a kind of session.
struct WorkflowEntry {
  std::vector<MetricFacts> metrics;  // Where it measures times.
  std::function<std::unique_ptr<Session>(std::shared_ptr<const WorkflowContext>)> open;
};

// By name: "kernelbench", "kernel_simple".
const std::map<std::string, WorkflowEntry>& Workflows();

// None where nothing is timed.
std::vector<MetricFacts> MetricsOf(const Problem& problem, const JudgeSettings& settings);

}  // namespace hone::compute
