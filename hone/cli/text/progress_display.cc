// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/progress_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

namespace hone::cli {
namespace {

constexpr std::size_t kBarWidth = 20;
constexpr std::chrono::milliseconds kMinPauseOfProgress{100};
constexpr std::chrono::seconds kTick{1};

double ShareDone(const tune::Progress& progress) {
  if (progress.planned <= 0) return 0;
  const double share = static_cast<double>(progress.done) / static_cast<double>(progress.planned);
  return std::clamp(share, 0.0, 1.0);
}

// "7/40 trials"; "12 pairs" where the total is not known.
std::string CountText(const tune::Progress& progress) {
  const char* unit = progress.phase == tune::Phase::kSearch ? "trials" : "pairs";
  if (progress.planned <= 0) return fmt::format("{} {}", progress.done, unit);
  return fmt::format("{}/{} {}", progress.done, progress.planned, unit);
}

// "0:35", "1:02:05"
std::string ClockText(std::chrono::microseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  if (seconds < 3600) return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string BestText(const tune::Progress::Best& best, const tune::RewardWords& words) {
  const double reach = 2 * best.reward.standard_error;
  return fmt::format("best {} {}", words.MetricChange(best.reward.mean),
                     words.MetricRange({best.reward.mean - reach, best.reward.mean + reach}));
}

// The parts of the line, the most important first.
std::vector<std::string> PartsOf(const tune::Progress& progress, const tune::RewardWords& words,
                                 std::chrono::microseconds elapsed) {
  std::vector<std::string> parts{fmt::format("{} {}", NameOf(progress.phase), CountText(progress)),
                                 ClockText(elapsed)};
  if (progress.remaining >= std::chrono::seconds(1)) {
    parts.push_back(fmt::format("≤{} left", ClockText(progress.remaining)));
  }
  // What is proven may be another candidate than the search's best.
  const bool is_searching =
      progress.phase == tune::Phase::kSearch || progress.phase == tune::Phase::kFinals;
  if (progress.best && is_searching) {
    parts.push_back(BestText(*progress.best, words));
    parts.push_back(progress.best->change);
  }
  return parts;
}

}  // namespace

std::string ProgressLine(const tune::Progress& progress, const tune::RewardWords& words,
                         std::chrono::microseconds elapsed, std::size_t width) {
  const auto full = static_cast<std::size_t>(ShareDone(progress) * static_cast<double>(kBarWidth));
  std::string line =
      fmt::format("[{}{}]", std::string(full, '='), std::string(kBarWidth - full, ' '));
  for (const std::string& part : PartsOf(progress, words, elapsed)) {
    const std::size_t used = WidthOf(line) + 2;
    if (used + WidthOf(part) <= width) {
      line += "  " + part;
      continue;
    }
    constexpr std::size_t kWorthShowing = 12;
    if (used + kWorthShowing <= width) line += "  " + FitInto(part, width - used);
    break;
  }
  return FitInto(line, width);
}

std::string PlainProgress(const tune::Progress& progress, const tune::RewardWords& words,
                          std::chrono::microseconds elapsed) {
  std::string line;
  for (const std::string& part : PartsOf(progress, words, elapsed)) {
    line += (line.empty() ? "" : ", ") + part;
  }
  return line;
}

ProgressDisplay::ProgressDisplay(Console& console, Clock& clock, tune::RewardWords words)
    : console_(console), clock_(clock), words_(std::move(words)), began_(clock.Now()) {}

ProgressDisplay::~ProgressDisplay() {
  ticker_.request_stop();
  if (ticker_.joinable()) ticker_.join();
  const std::lock_guard lock(mutex_);
  Clear();
  console_.err.flush();
}

void ProgressDisplay::Show(const tune::Progress& progress) {
  const std::lock_guard lock(mutex_);
  if (!progress.message.empty()) {
    Clear();
    console_.err << progress.message << '\n';
  }
  if (!console_.is_err_terminal) {
    ShowPlain(progress);
    last_ = progress;
    return;
  }
  const bool is_new_phase = !last_ || last_->phase != progress.phase;
  last_ = progress;
  if (!ticker_.joinable()) {
    ticker_ = std::jthread([this](const std::stop_token& stop) { Tick(stop); });
  }
  if (is_new_phase || !is_drawn_ || clock_.Now() - drawn_ >= kMinPauseOfProgress) Draw();
}

void ProgressDisplay::ShowPlain(const tune::Progress& progress) {
  const bool is_new_phase = !last_ || last_->phase != progress.phase;
  const auto tenth = static_cast<std::int64_t>(ShareDone(progress) * 10);
  if (!is_new_phase && tenth <= tenth_) return;
  tenth_ = tenth;
  console_.err << PlainProgress(progress, words_, Elapsed()) << '\n' << std::flush;
}

void ProgressDisplay::Say(std::string_view text) {
  const std::lock_guard lock(mutex_);
  Clear();
  console_.err << text << std::flush;
  if (console_.is_err_terminal && last_) Draw();
}

void ProgressDisplay::Draw() {
  if (!last_) return;
  const int width = TerminalWidth() - 1;
  const auto line =
      ProgressLine(*last_, words_, Elapsed(), static_cast<std::size_t>(std::max(1, width)));
  console_.err << fmt::format("\r{}\x1b[K", line) << std::flush;
  drawn_ = clock_.Now();
  is_drawn_ = true;
}

void ProgressDisplay::Clear() {
  if (!is_drawn_) return;
  console_.err << "\r\x1b[K";
  is_drawn_ = false;
}

std::chrono::microseconds ProgressDisplay::Elapsed() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(clock_.Now() - began_);
}

void ProgressDisplay::Tick(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    ended_.wait_for(lock, stop, kTick, [] { return false; });
    if (!stop.stop_requested()) Draw();
  }
}

}  // namespace hone::cli
