// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/watch/watch_level.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "hone/core/check.h"
#include "hone/measure/statistics.h"

namespace hone::tune {
namespace {

// Below this a difference means nothing to anyone, and divisions stay finite.
constexpr double kMinSpread = 1e-6;

// Bets b p^(b - 1) on high ranks and their mirror on low ones: timid for small shifts, which take
// many runs to see, bold for large ones.
constexpr std::array<double, 3> kBets{1.5, 3, 8};

// How much of the past is looked through for the place of a change.
constexpr std::size_t kLookBack = 200;
constexpr std::size_t kFewestAfter = 2;

double SpreadOf(const std::vector<double>& values) {
  return values.empty() ? kMinSpread : std::max(kMinSpread, MeanAbsoluteDeviation(values));
}

}  // namespace

RecentRuns::RecentRuns(RewardRule rule, std::size_t max) : rule_(std::move(rule)), max_(max) {}

Result<void> RecentRuns::Add(const Sample& sample) {
  if (auto reward = PairReward(rule_, {sample, sample}); !reward) return reward.error();
  for (const Limit& limit : rule_.limits) {
    if (auto margin = Margin(limit, {sample, sample}); !margin) return margin.error();
  }
  samples_.push_back(sample);
  if (samples_.size() > max_) samples_.pop_front();
  return {};
}

Sample RecentRuns::Typical() const {
  HONE_CHECK(!samples_.empty());
  Sample typical = samples_.back();
  for (auto& [name, reading] : typical.metrics) {
    std::vector<double> values;
    for (const Sample& sample : samples_) {
      const auto found = sample.metrics.find(name);
      if (found != sample.metrics.end()) values.push_back(found->second.value);
    }
    reading = {.value = Median(values)};
  }
  return typical;
}

double RecentRuns::RewardSpread() const {
  if (samples_.empty()) return kMinSpread;
  const Sample typical = Typical();
  std::vector<double> rewards;
  for (const Sample& sample : samples_) {
    if (const auto reward = PairReward(rule_, {typical, sample})) rewards.push_back(*reward);
  }
  return SpreadOf(rewards);
}

double RecentRuns::MarginSpread(const Limit& limit) const {
  if (samples_.empty()) return kMinSpread;
  const Sample typical = Typical();
  std::vector<double> margins;
  for (const Sample& sample : samples_) {
    if (const auto margin = Margin(limit, {typical, sample})) margins.push_back(*margin);
  }
  return SpreadOf(margins);
}

ShiftDetector::ShiftDetector(double runs_per_false_alarm, Rng rng)
    : threshold_(runs_per_false_alarm), rng_(rng) {
  HONE_CHECK(runs_per_false_alarm > 1);
  Restart();
}

void ShiftDetector::Restart() {
  values_.clear();
  sorted_.clear();
  wealths_.assign(2 * kBets.size(), 0);
  is_alarmed_ = false;
}

// Among the values so far and x itself; ties are broken at random. In (0, 1].
double ShiftDetector::RankOf(double x) {
  const auto [first, last] = std::equal_range(sorted_.begin(), sorted_.end(), x);
  const auto below = static_cast<double>(first - sorted_.begin());
  const auto same = static_cast<double>(last - first) + 1;
  sorted_.insert(last, x);
  return (below + same * (1 - rng_.Uniform())) / static_cast<double>(sorted_.size());
}

void ShiftDetector::Add(double x) {
  HONE_CHECK(std::isfinite(x));
  const double high = RankOf(x);
  const double low = std::max(0.0, 1 - high);
  values_.push_back(x);
  for (std::size_t k = 0; k < kBets.size(); ++k) {
    const double bet = kBets[k];
    wealths_[2 * k] = (1 + wealths_[2 * k]) * bet * std::pow(high, bet - 1);
    wealths_[2 * k + 1] = (1 + wealths_[2 * k + 1]) * bet * std::pow(low, bet - 1);
  }
  const double mean =
      std::accumulate(wealths_.begin(), wealths_.end(), 0.0) / static_cast<double>(wealths_.size());
  if (mean >= threshold_) is_alarmed_ = true;
}

// The split of greatest likelihood under normal noise of one spread.
double ShiftDetector::Shift() const {
  const auto past = std::span(values_).last(std::min(kLookBack, values_.size()));
  const std::size_t n = past.size();
  double best = 0;
  double shift = 0;
  for (std::size_t after = kFewestAfter; after + kFewestAfter <= n; ++after) {
    const auto before_part = past.first(n - after);
    const auto after_part = past.last(after);
    const double weight = std::sqrt(static_cast<double>(after) * static_cast<double>(n - after));
    const double likely = weight * std::abs(Mean(after_part) - Mean(before_part));
    if (likely <= best) continue;
    best = likely;
    shift = Median(after_part) - Median(before_part);
  }
  return shift;
}

IncumbentLevel::IncumbentLevel(const RewardRule& rule, double runs_per_false_alarm, const Rng& rng)
    : recent_(rule), detector_(runs_per_false_alarm, rng) {}

Result<void> IncumbentLevel::Learn(const Sample& sample) {
  if (auto added = recent_.Add(sample); !added) return added;
  if (!anchor_) anchor_ = sample;
  const auto height = PairReward(recent_.rule(), {*anchor_, sample});
  if (!height) return height.error();
  detector_.Add(*height);
  return {};
}

void IncumbentLevel::Restart() {
  recent_.Clear();
  RestartDetector();
}

void IncumbentLevel::RestartDetector() {
  detector_.Restart();
  anchor_.reset();
}

}  // namespace hone::tune
