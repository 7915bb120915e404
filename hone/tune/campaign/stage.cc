// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/stage.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace hone::tune {

std::string_view NameOf(Phase phase) {
  switch (phase) {
    case Phase::kGate:
      return "A/A gate";
    case Phase::kSearch:
      return "search";
    case Phase::kFinals:
      return "finals";
    case Phase::kProof:
      return "proof";
    case Phase::kAblation:
      return "ablation";
  }
  return "unknown";
}

bool PauseFor(std::chrono::nanoseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any told;
  std::unique_lock lock(mutex);
  told.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

void Stage::Enter(Phase phase, std::int64_t planned) {
  progress.phase = phase;
  progress.planned = planned;
  progress.current.reset();
  Report(0);
}

void Stage::Report(std::int64_t done, std::string message) {
  progress.done = done;
  progress.message = std::move(message);
  progress.runs = runner.runs_planned();
  progress.measured = runner.measured();
  progress.remaining = run_time * std::max<std::int64_t>(0, planned_runs - progress.runs);
  if (sink) sink(progress);
}

Error Abandoned() {
  return Error{Errc::kUnavailable, "the campaign was stopped before its verdict"};
}

}  // namespace hone::tune
