// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "hone/base/clock.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/learn/ppo.h"
#include "hone/server/campaigns/training_board.h"

namespace hone::cli {

// Shows a training of this process on the dashboard. Not safe for concurrent use.
class TrainingShow {
 public:
  struct Facts {
    std::string environment;
    learn::PpoSettings settings;
    std::int64_t steps = 0;        // With which it begins.
    std::filesystem::path folder;  // Where it is kept; empty: nowhere.
    std::optional<WallTime> kept;  // When it was last saved, if no process goes on with it.
  };

  // `stop` asks the training to end soon; from any thread, as long as this lives. Both references
  // outlive it.
  TrainingShow(server::TrainingBoard& board, Clock& clock, const Facts& facts,
               std::function<void()> stop);
  TrainingShow(const TrainingShow&) = delete;
  TrainingShow& operator=(const TrainingShow&) = delete;
  ~TrainingShow();  // Shows the end.

  // What an earlier process had kept of the same training.
  Result<void> ShowEarlier();

  void Show(const learn::TrainReport& report);
  void ShowEvaluating();
  void ShowScore(double mean, double deviation, std::int64_t episodes, bool is_done);
  void ShowFailure(const std::string& message);

 private:
  server::TrainingBoard& board_;
  Clock& clock_;
  const Facts facts_;
  const Clock::Monotonic began_;
  Json training_;
};

}  // namespace hone::cli
