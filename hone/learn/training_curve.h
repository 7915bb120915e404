// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/learn/ppo.h"

namespace hone::learn {

// The numbers of a report by the names that Stable-Baselines3 logs them under ("train/approx_kl").
// What is not known yet is left out.
std::vector<std::pair<std::string, double>> Scalars(const TrainReport& report);

// The same in the order of the columns of progress.csv; nullopt is an empty field.
using CurveRow = std::vector<std::optional<double>>;
std::vector<std::string> CurveColumns();
CurveRow RowOf(const TrainReport& report);

// The rows of the progress.csv in a folder. One that was cut in mid-write is left out.
Result<std::vector<CurveRow>> ReadTrainingCurve(const std::filesystem::path& folder);

// One record of a TensorBoard event file: scalars at a step. docs/formats/policy.md
std::string EventRecord(WallTime at, std::int64_t step,
                        const std::vector<std::pair<std::string, double>>& scalars);
std::string EventFileStart(WallTime at);  // The record that such a file begins with.
// Says that what other files hold from this step on is void: the training began again there.
std::string EventRestart(WallTime at, std::int64_t step);

std::uint32_t Crc32c(const std::string& bytes);

// Writes a training's course as it goes, into a folder: progress.csv, a line an update, and an
// event file for TensorBoard. Every line is handed to the system before Append returns.
class TrainingCurve {
 public:
  // Goes on after so many steps: what a training that was killed had written beyond its last saved
  // policy is left out. 0: begins anew.
  static Result<TrainingCurve> Open(const std::filesystem::path& folder, std::int64_t steps,
                                    WallTime now);

  Result<void> Append(const TrainReport& report, WallTime now);

 private:
  TrainingCurve(std::filesystem::path folder, std::ofstream csv, std::ofstream events);

  std::filesystem::path folder_;
  std::ofstream csv_;
  std::ofstream events_;
};

}  // namespace hone::learn
