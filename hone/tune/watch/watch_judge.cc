// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/watch/watch_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "hone/core/check.h"
#include "hone/measure/statistics.h"

namespace hone::tune {
namespace {

// A run nearer to the typical one than this many spreads says nothing by itself.
constexpr double kStraySpreads = 4;

// A single run is held against so many of the reference's.
constexpr std::size_t kLatest = 3;

// Giving up on a step too early, or calling it harmful, costs a gain, not honesty.
constexpr double kGiveUpLevel = 0.1;
constexpr std::int64_t kFewestForDull = 6;

double PercentOf(double reward) { return 100 * std::expm1(reward); }

}  // namespace

std::string_view NameOf(Ruling ruling) {
  constexpr std::array<std::string_view, 6> kRulings{"more",      "better", "not better",
                                                     "undecided", "harm",   "reference broken"};
  return kRulings[static_cast<std::size_t>(ruling)];
}

std::string BrokenLimit(const RewardRule& rule, const Sample& sample) {
  for (const Limit& limit : rule.limits) {
    if (limit.is_relative) continue;
    const auto margin = Margin(limit, {sample, sample});
    if (!margin) return margin.error().message;
    if (*margin < 0) {
      return fmt::format("{} was {:.6g}, the limit is {}", limit.metric,
                         sample.metrics.at(limit.metric).value, ToText(limit));
    }
  }
  return "";
}

ChallengerJudge::ChallengerJudge(RewardRule rule, JudgeSettings settings, const RecentRuns& recent)
    : rule_(std::move(rule)),
      settings_(settings),
      typical_(recent.Typical()),
      reward_spread_(recent.RewardSpread()),
      latest_(rule_, kLatest),
      rewards_(settings.alpha, std::sqrt(2.0) * reward_spread_) {
  for (const Limit& limit : rule_.limits) {
    margin_spreads_.push_back(recent.MarginSpread(limit));
    margins_.emplace_back(settings.alpha, std::sqrt(2.0) * margin_spreads_.back());
  }
}

Ruling ChallengerJudge::Rule(Ruling ruling, std::string reason) {
  reason_ = std::move(reason);
  return ruling;
}

Ruling ChallengerJudge::AddReference(const Sample& sample) {
  if (const std::string broken = BrokenLimit(rule_, sample); !broken.empty()) {
    return Rule(Ruling::kReferenceBroken, broken);
  }
  if (auto added = latest_.Add(sample); !added) {
    return Rule(Ruling::kReferenceBroken, added.error().message);
  }
  reference_ = sample;
  if (!challenger_) return Ruling::kMore;
  return JudgePair({*std::exchange(reference_, {}), *std::exchange(challenger_, {})});
}

Ruling ChallengerJudge::AddChallenger(const Sample& sample) {
  if (const Ruling ruling = JudgeAlone(sample); ruling != Ruling::kMore) return ruling;
  challenger_ = sample;
  if (!reference_) return Ruling::kMore;
  return JudgePair({*std::exchange(reference_, {}), *std::exchange(challenger_, {})});
}

Ruling ChallengerJudge::JudgeAlone(const Sample& sample) {
  if (const std::string broken = BrokenLimit(rule_, sample); !broken.empty()) {
    return Rule(Ruling::kHarm, broken);
  }
  const SamplePair pair{latest_.size() > 0 ? latest_.Typical() : typical_, sample};
  const double spreads =
      latest_.size() > 0 ? kStraySpreads * std::sqrt(1 + 1.0 / static_cast<double>(latest_.size()))
                         : kStraySpreads;
  const auto reward = PairReward(rule_, pair);
  if (!reward) return Rule(Ruling::kHarm, reward.error().message);
  if (*reward < -std::max(settings_.max_loss, spreads * reward_spread_)) {
    return Rule(Ruling::kHarm,
                fmt::format("one run lost {:.1f} % against a typical one", -PercentOf(*reward)));
  }
  for (std::size_t i = 0; i < rule_.limits.size(); ++i) {
    const Limit& limit = rule_.limits[i];
    const auto margin = Margin(limit, pair);
    if (!margin) return Rule(Ruling::kHarm, margin.error().message);
    if (limit.is_relative && *margin < -spreads * margin_spreads_[i]) {
      return Rule(Ruling::kHarm, fmt::format("one run broke {}", ToText(limit)));
    }
  }
  return Ruling::kMore;
}

Ruling ChallengerJudge::JudgePair(const SamplePair& pair) {
  const auto reward = PairReward(rule_, pair);
  if (!reward) return Rule(Ruling::kHarm, reward.error().message);
  rewards_.Add(*reward);
  values_.push_back(*reward);
  for (std::size_t i = 0; i < rule_.limits.size(); ++i) {
    const Limit& limit = rule_.limits[i];
    if (!limit.is_relative) continue;
    const auto margin = Margin(limit, pair);
    if (!margin) return Rule(Ruling::kHarm, margin.error().message);
    margins_[i].Add(*margin);
    const double before = pair.baseline.metrics.at(limit.metric).value;
    if (before != 0) {
      ratios_[limit.metric].push_back(pair.candidate.metrics.at(limit.metric).value / before);
    }
    if (margins_[i].EValueBelow(0) >= 1 / kGiveUpLevel) {
      return Rule(Ruling::kHarm, fmt::format("it breaks {}", ToText(limit)));
    }
  }
  return JudgeRewards();
}

Ruling ChallengerJudge::JudgeRewards() {
  const double enough = 1 / settings_.alpha;
  if (rewards_.EValueBelow(0) >= 1 / kGiveUpLevel) return Rule(Ruling::kHarm, "it is worse");
  bool keeps_limits = true;
  for (std::size_t i = 0; i < rule_.limits.size(); ++i) {
    if (rule_.limits[i].is_relative) {
      keeps_limits = keeps_limits && margins_[i].EValueAbove(0) >= enough;
    }
  }
  if (keeps_limits && HodgesLehmann(values_) >= settings_.min_gain &&
      rewards_.EValueAbove(0) >= 2 * enough) {  // So that the interval that is told leaves 0 out.
    return Rule(Ruling::kBetter, "it is surely better");
  }
  if (rewards_.EValueBelow(settings_.min_gain) >= 1 / kGiveUpLevel || IsDull()) {
    return Rule(Ruling::kNotBetter,
                fmt::format("no gain of {:.1f} % is in sight", PercentOf(settings_.min_gain)));
  }
  if (Pairs() >= settings_.max_pairs) {
    return Rule(Ruling::kUndecided, fmt::format("still not clear after {} pairs", Pairs()));
  }
  return Ruling::kMore;
}

bool ChallengerJudge::IsDull() const {
  if (Pairs() < kFewestForDull) return false;
  const double error = std::sqrt(2.0 / static_cast<double>(Pairs())) * reward_spread_;
  return HodgesLehmann(values_) + error < settings_.min_gain;
}

WatchGain ChallengerJudge::Gain() const {
  HONE_CHECK(!values_.empty());
  return {HodgesLehmann(values_), rewards_.Current(), Pairs()};
}

std::map<std::string, double> ChallengerJudge::Ratios() const {
  std::map<std::string, double> medians;
  for (const auto& [metric, ratios] : ratios_) medians[metric] = Median(ratios);
  return medians;
}

}  // namespace hone::tune
