// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/metric.h"

namespace hone::tune {

enum class Phase { kGate, kSearch, kFinals, kProof, kAblation };

std::string_view NameOf(Phase phase);  // "A/A gate", "search", …

// Where a campaign is. Sent after every block of runs.
struct Progress {
  struct Best {
    std::string change;  // "a=1 b=cubic"
    Estimate reward;
  };

  // The candidate whose pairs came in last.
  struct Current {
    std::optional<std::int64_t> trial;  // None outside of the search and its finals.
    std::string change;
    std::vector<double> rewards;  // Of its pairs so far.
    Estimate reward;
    std::string failure;  // "crashed: signal 11"; empty if it was accepted.
  };

  Phase phase = Phase::kGate;
  std::int64_t done = 0;  // Trials in the search, pairs elsewhere.
  std::int64_t planned = 0;
  std::int64_t trials = 0;
  std::int64_t runs = 0;                   // Of the whole campaign so far.
  std::chrono::microseconds measured{0};   // Spent on them.
  std::chrono::microseconds remaining{0};  // At most, as far as known; 0: not known yet.
  std::optional<Best> best;                // So far; an estimate of the search, not a proof.
  std::optional<Current> current;          // In this phase.
  std::string message;                     // Something worth a line of its own; else empty.
};

using ProgressSink = std::function<void(const Progress&)>;

}  // namespace hone::tune
