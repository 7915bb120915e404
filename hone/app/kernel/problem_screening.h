// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/domains/compute/problem/problem.h"

// Whether a problem can be solved by what computes nothing. docs/howto/import-problems.md
namespace hone::app {

// Why nothing is known of a problem, as it is counted.
inline constexpr const char* kTooLargeHere = "too large here";
inline constexpr const char* kTimeLimit = "time limit";
inline constexpr const char* kNeedsCuda = "needs CUDA";
inline constexpr const char* kRaises = "the file raises";
inline constexpr const char* kNotItself = "differs from itself";
inline constexpr const char* kDoubted = "doubted by the judge";
inline constexpr const char* kNotJudged = "not judged";

struct Screening {
  // "zeros", "a copy of input 1": answers that the judge accepted. Empty where it is sound, or
  // where it was not screened.
  std::vector<std::string> accepts;
  std::string not_screened;  // One of the reasons above; empty if it was.
  std::string detail;        // The judge's own words.
  // What it holds for: source, policy, PyTorch, and the rules of screening.
  std::string key;
  std::chrono::milliseconds timeout{0};  // That an evaluation had,
  std::int64_t memory_mib = 0;           // and the machine.

  bool is_sound() const { return accepts.empty() && not_screened.empty(); }
};

// "sound", "accepts zeros, ones" or "not screened: time limit".
std::string TextOf(const Screening& screening);

Json RecordOf(const Screening& screening);
Result<Screening> ReadScreening(const Json& json);

// The record beside a problem's problem.json. None if there is none that can be read.
std::optional<Screening> FindScreening(const std::filesystem::path& folder);
Result<void> KeepScreening(const std::filesystem::path& folder, const Screening& screening);

// `torch` is the version of Python and PyTorch.
std::string ScreeningKey(const compute::Problem& problem, const std::string& torch);

// Whether what is known answers for this problem, within these limits. What was cut short or did
// not fit is asked again where there is more time or memory.
bool StillHolds(const Screening& known, const std::string& key, std::chrono::milliseconds timeout,
                std::int64_t memory_mib);

// How a judge that gave no verdict on the reference as its own candidate is counted.
std::string ReasonFor(const std::string& outcome, const std::string& reason);

// The verdict on a task, as KernelJudge gives it.
using JudgeTask = std::function<Result<Json>(Task task, const std::stop_token& stop)>;

struct ScreeningOrder {
  compute::Problem problem;
  std::string torch;
  std::chrono::milliseconds timeout{60'000};  // For each evaluation.
  std::uint64_t seed = 0;
};

// Judges the reference as its own candidate. Where the judge remarks that the problem accepts what
// no kernel computed, answers of that kind are judged as candidates, and those that were accepted
// are the result. kUnavailable if it was stopped.
Result<Screening> Screen(const ScreeningOrder& order, const JudgeTask& judge,
                         const std::stop_token& stop);

}  // namespace hone::app
