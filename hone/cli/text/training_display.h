// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hone/base/clock.h"
#include "hone/cli/console.h"
#include "hone/learn/ppo.h"

namespace hone::cli {

// The numbers as a line of blocks, one a column: the lowest is a low block, the highest a full one.
// Where there are more numbers than columns, a column is the mean of its share.
std::string Sparkline(const std::vector<double>& numbers, std::size_t columns);

// Shows how training goes. On a terminal it is one line that is redrawn, with the curve of the mean
// reward; elsewhere a line at each tenth of the steps. Not safe for concurrent use.
class TrainingDisplay {
 public:
  // Both outlive it.
  TrainingDisplay(Console& console, Clock& clock, std::int64_t total_steps);
  ~TrainingDisplay();  // Takes the line away.

  void Show(const learn::TrainReport& report);

 private:
  std::string LineOf(const learn::TrainReport& report) const;

  Console& console_;
  Clock& clock_;
  const std::int64_t total_steps_;
  const Clock::Monotonic began_;
  std::int64_t first_steps_ = -1;
  Clock::Monotonic drawn_;
  bool is_drawn_ = false;
  std::int64_t tenth_ = -1;
  std::vector<double> curve_;
};

}  // namespace hone::cli
