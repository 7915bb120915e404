// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/training_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>

namespace hone::cli {
namespace {

constexpr std::size_t kCurveColumns = 24;
constexpr std::chrono::milliseconds kMinPauseOfTraining{100};
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

std::string Sparkline(const std::vector<double>& numbers, std::size_t columns) {
  constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::size_t kLevels = std::size(kBlocks);
  if (numbers.empty()) return "";
  const std::size_t shown = std::min(columns, numbers.size());
  std::vector<double> means;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t from = i * numbers.size() / shown;
    const std::size_t to = (i + 1) * numbers.size() / shown;
    double sum = 0;
    for (std::size_t k = from; k < to; ++k) sum += numbers[k];
    means.push_back(sum / static_cast<double>(to - from));
  }
  const auto [low, high] = std::minmax_element(means.begin(), means.end());
  std::string line;
  for (const double mean : means) {
    const double share = *high > *low ? (mean - *low) / (*high - *low) : 0;
    line += kBlocks[std::min(static_cast<std::size_t>(share * kLevels), kLevels - 1)];
  }
  return line;
}

TrainingDisplay::TrainingDisplay(Console& console, Clock& clock, std::int64_t total_steps)
    : console_(console), clock_(clock), total_steps_(total_steps), began_(clock.Now()) {}

TrainingDisplay::~TrainingDisplay() {
  if (is_drawn_) console_.err << kClearLine << std::flush;
}

std::string TrainingDisplay::LineOf(const learn::TrainReport& report) const {
  const double seconds = std::chrono::duration<double>(clock_.Now() - began_).count();
  const auto done = static_cast<double>(report.steps - first_steps_);
  return fmt::format("{:3.0f} % {} steps  reward {}  {}  kl {:.3f}  {:.0f} steps/s",
                     100.0 * static_cast<double>(report.steps) / static_cast<double>(total_steps_),
                     report.steps,
                     report.mean_reward ? fmt::format("{:.1f}", *report.mean_reward) : "-",
                     Sparkline(curve_, kCurveColumns), report.update.approx_kl,
                     seconds > 0 ? done / seconds : 0.0);
}

void TrainingDisplay::Show(const learn::TrainReport& report) {
  if (first_steps_ < 0) first_steps_ = report.steps;
  if (report.mean_reward) curve_.push_back(*report.mean_reward);
  if (!console_.is_err_terminal) {
    const std::int64_t tenth = 10 * report.steps / total_steps_;
    if (tenth == tenth_) return;
    tenth_ = tenth;
    console_.err << LineOf(report) << '\n' << std::flush;
    return;
  }
  const Clock::Monotonic now = clock_.Now();
  if (is_drawn_ && now - drawn_ < kMinPauseOfTraining) return;
  drawn_ = now;
  is_drawn_ = true;
  console_.err << kClearLine << LineOf(report) << std::flush;
}

}  // namespace hone::cli
