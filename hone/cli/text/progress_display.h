// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "hone/base/clock.h"
#include "hone/cli/console.h"
#include "hone/cli/text/readable.h"
#include "hone/tune/campaign/progress.h"
#include "hone/tune/campaign/words.h"

namespace hone::cli {

// One line of at most `width` columns: a bar, the phase, what is done, times, the best so far with
// the interval of two standard errors. What does not fit is left out from the end.
std::string ProgressLine(const tune::Progress& progress, const tune::RewardWords& words,
                         std::chrono::microseconds elapsed, std::size_t width);

// The same as a line of a log, without bar and control codes.
std::string PlainProgress(const tune::Progress& progress, const tune::RewardWords& words,
                          std::chrono::microseconds elapsed);

// Shows where a campaign is. On a terminal it is one line that is redrawn, at most every 100 ms and
// at least every second; elsewhere a line at each phase and at each tenth of it. Safe for
// concurrent use; its thread begins with the first Show.
class ProgressDisplay {
 public:
  // `console` and `clock` outlive it.
  ProgressDisplay(Console& console, Clock& clock, tune::RewardWords words);
  ~ProgressDisplay();  // Takes the line away.

  void Show(const tune::Progress& progress);
  void Say(std::string_view text);  // Lines that stay, above the progress line.

 private:
  void ShowPlain(const tune::Progress& progress);
  void Draw();  // With mutex_ held, as the next two.
  void Clear();
  std::chrono::microseconds Elapsed() const;
  void Tick(const std::stop_token& stop);

  // Constant after construction.
  Console& console_;
  Clock& clock_;
  const tune::RewardWords words_;
  const Clock::Monotonic began_;

  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::optional<tune::Progress> last_;  // This and what follows is protected by mutex_.
  Clock::Monotonic drawn_;
  bool is_drawn_ = false;
  std::int64_t tenth_ = -1;  // Of the phase, as last shown.
  std::jthread ticker_;      // Last, so that it ends before what it uses.
};

}  // namespace hone::cli
