// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/search_book.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/core/check.h"
#include "hone/measure/groups.h"
#include "hone/measure/statistics.h"

namespace hone::tune {
namespace {

// Below this a difference means nothing to anyone, and divisions stay finite.
constexpr double kMinNoise = 1e-6;

// The deviations of the values from their own mean, blown up for the mean being estimated. Not from
// a robust centre: of few values that is often one of them, and the deviations come out too small.
void AppendResiduals(const std::vector<double>& values, std::vector<double>& residuals) {
  if (values.size() < 2) return;
  const double centre = Mean(values);
  const auto count = static_cast<double>(values.size());
  const double blow_up = std::sqrt(count / (count - 1));
  for (const double value : values) residuals.push_back(blow_up * (value - centre));
}

double RobustSpread(std::vector<double> residuals) {
  if (residuals.empty()) return kMinNoise;
  for (double& residual : residuals) residual = std::abs(residual);
  constexpr double kMadToDeviation = 1.4826;
  return std::max(kMinNoise, kMadToDeviation * Median(residuals));
}

double NoiseOf(const std::vector<const std::vector<double>*>& groups) {
  std::vector<double> residuals;
  for (const auto* group : groups) AppendResiduals(*group, residuals);
  return RobustSpread(std::move(residuals));
}

Estimate EstimateOf(const std::vector<double>& values, double noise) {
  return {HodgesLehmann(values), noise / std::sqrt(static_cast<double>(values.size())),
          static_cast<std::int64_t>(values.size())};
}

}  // namespace

void PairNumbers::Append(const PairNumbers& more) {
  const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(rewards, more.rewards);
  objectives.resize(std::max(objectives.size(), more.objectives.size()));
  margins.resize(std::max(margins.size(), more.margins.size()));
  for (std::size_t i = 0; i < more.objectives.size(); ++i) {
    append(objectives[i], more.objectives[i]);
  }
  for (std::size_t i = 0; i < more.margins.size(); ++i) append(margins[i], more.margins[i]);
}

Result<PairNumbers> NumbersOf(const RewardRule& rule, const std::vector<SamplePair>& pairs) {
  PairNumbers numbers;
  numbers.objectives.resize(rule.objectives.size());
  numbers.margins.resize(rule.limits.size());
  for (const SamplePair& pair : pairs) {
    const auto reward = PairReward(rule, pair);
    if (!reward) return reward.error();
    numbers.rewards.push_back(*reward);
    for (std::size_t i = 0; i < rule.objectives.size(); ++i) {
      const auto ratio = LogRatio(rule.objectives[i], pair);
      if (!ratio) return ratio.error();
      numbers.objectives[i].push_back(*ratio);
    }
    for (std::size_t i = 0; i < rule.limits.size(); ++i) {
      const auto margin = Margin(rule.limits[i], pair);
      if (!margin) return margin.error();
      numbers.margins[i].push_back(*margin);
    }
  }
  return numbers;
}

SearchBook::SearchBook(RewardRule rule, std::vector<double> gate_rewards)
    : rule_(std::move(rule)), gate_rewards_(std::move(gate_rewards)) {
  UpdateNoise();
}

std::int64_t SearchBook::Open(const Candidate& candidate) {
  entries_.push_back({});
  entries_.back().candidate = candidate;
  return size() - 1;
}

void SearchBook::Add(std::int64_t number, const PairBlock& block) {
  HONE_CHECK(number >= 0 && number < size());
  Entry& entry = entries_[static_cast<std::size_t>(number)];
  if (block.outcome != Outcome::kAccepted) {
    entry.outcome = block.outcome;
    entry.reason = block.reason;
    return;
  }
  const auto numbers = NumbersOf(rule_, block.pairs);
  if (!numbers) {
    entry.outcome = Outcome::kWrong;
    entry.reason = numbers.error().message;
    return;
  }
  entry.numbers.Append(*numbers);
  pairs_ += static_cast<std::int64_t>(numbers->rewards.size());
  for (const SamplePair& pair : block.pairs) {
    for (const auto& [name, value] : pair.candidate.observations) {
      entry.observation_sums[name] += value;
    }
    ++entry.runs;
  }
  UpdateNoise();
}

bool SearchBook::IsSound(const Entry& entry) {
  return entry.outcome == Outcome::kAccepted && !entry.numbers.rewards.empty();
}

bool SearchBook::IsWithinLimits(const Entry& entry) {
  return std::all_of(entry.numbers.margins.begin(), entry.numbers.margins.end(),
                     [](const auto& margins) { return HodgesLehmann(margins) >= 0; });
}

const PairNumbers& SearchBook::NumbersFor(std::int64_t number) const {
  return entries_.at(static_cast<std::size_t>(number)).numbers;
}

Trial SearchBook::Get(std::int64_t number) const {
  HONE_CHECK(number >= 0 && number < size());
  const Entry& entry = entries_[static_cast<std::size_t>(number)];
  Trial trial;
  trial.number = number;
  trial.candidate = entry.candidate;
  trial.outcome = entry.outcome;
  trial.reason = entry.reason;
  if (!IsSound(entry)) {
    trial.reward = {rule_.failure_reward, noise_, 0};
    return trial;
  }
  trial.is_within_limits = IsWithinLimits(entry);
  trial.reward = EstimateOf(entry.numbers.rewards, noise_);
  for (std::size_t i = 0; i < entry.numbers.objectives.size(); ++i) {
    trial.objectives.push_back(EstimateOf(entry.numbers.objectives[i], objective_noise_[i]));
  }
  for (const auto& [name, sum] : entry.observation_sums) {
    trial.observations[name] = sum / static_cast<double>(entry.runs);
  }
  return trial;
}

void SearchBook::UpdateNoise() {
  std::vector<const std::vector<double>*> rewards{&gate_rewards_};
  std::vector<std::vector<const std::vector<double>*>> objectives(rule_.objectives.size());
  for (const Entry& entry : entries_) {
    if (!IsSound(entry)) continue;
    rewards.push_back(&entry.numbers.rewards);
    for (std::size_t i = 0; i < objectives.size(); ++i) {
      objectives[i].push_back(&entry.numbers.objectives[i]);
    }
  }
  noise_ = NoiseOf(rewards);
  objective_noise_.clear();
  for (const auto& groups : objectives) objective_noise_.push_back(NoiseOf(groups));
}

double SearchBook::ObjectiveNoise() const {
  return objective_noise_.empty() ? kMinNoise : std::ranges::max(objective_noise_);
}

std::vector<Estimate> SearchBook::Rewards() const {
  std::vector<Estimate> rewards;
  for (const Entry& entry : entries_) {
    if (IsSound(entry)) rewards.push_back(EstimateOf(entry.numbers.rewards, noise_));
  }
  return rewards;
}

double SearchBook::SureBest(std::int64_t number) const {
  double best = 0;
  for (std::int64_t i = 0; i < size(); ++i) {
    const Entry& entry = entries_[static_cast<std::size_t>(i)];
    if (i == number || !IsSound(entry) || !IsWithinLimits(entry)) continue;
    const Estimate estimate = EstimateOf(entry.numbers.rewards, noise_);
    best = std::max(best, estimate.mean - estimate.standard_error);
  }
  return best;
}

double SearchBook::SensitivityP() const {
  std::vector<std::vector<double>> groups{gate_rewards_};
  for (const Entry& entry : entries_) {
    if (entry.outcome != Outcome::kAccepted) return 0;
    if (IsSound(entry)) groups.push_back(entry.numbers.rewards);
  }
  return KruskalWallisP(groups);
}

}  // namespace hone::tune
