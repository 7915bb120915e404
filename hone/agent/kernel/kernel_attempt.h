// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/core/evaluation.h"
#include "hone/core/result.h"

namespace hone::agent {

// A speedup over the reference, with its interval of 95 %.
struct Speedup {
  double value = 1;
  double low = 0;
  double high = 0;

  bool operator==(const Speedup&) const = default;
};

// What the judge said of one source.
struct KernelVerdict {
  Outcome outcome = Outcome::kAccepted;
  std::optional<Speedup> speedup = std::nullopt;  // Of an accepted one that was timed.
  std::string feedback = {};                      // What a writer needs to know, in few words.

  bool operator==(const KernelVerdict&) const = default;
};

// Judges a source. An Error is the service's failure, never the source's. Called by several threads
// at once.
using KernelJudging =
    std::function<Result<KernelVerdict>(const std::string& source, const std::stop_token& stop)>;

// One source that a model wrote, and what became of it.
struct KernelAttempt {
  std::int64_t number = 0;  // In its search, from 0.
  std::int64_t round = 0;   // All of a round are written before any of them is judged.
  std::int64_t line = 0;    // The conversation or island that it belongs to.
  std::vector<std::int64_t> parents = {};  // What the model was shown to begin from; none at first.
  std::string source = {};                 // Empty: the answer had none.
  KernelVerdict verdict = {};
  std::int64_t tokens = 0;  // Of prompt and answer.

  bool operator==(const KernelAttempt&) const = default;

  bool IsAccepted() const { return !source.empty() && verdict.outcome == Outcome::kAccepted; }

  // By which attempts are compared: what the speedup is at least; 0 for what is not accepted, so
  // that a lucky reading is worth no more than a sure one.
  double Worth() const { return IsAccepted() && verdict.speedup ? verdict.speedup->low : 0; }
};

}  // namespace hone::agent
