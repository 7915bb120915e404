// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/reward_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace hone::tune {
namespace {

std::string Level(const CampaignSpec& spec) {
  return fmt::format("{:g} %", 100 * spec.proof.confidence);
}

// "[95 %: +8.1 %, +12.4 %]"
std::string LevelRange(const CampaignSpec& spec, const RewardWords& words,
                       const Interval& interval) {
  return fmt::format("[{}: {}", Level(spec), words.Range(interval).substr(1));
}

std::string TestText(const CampaignSpec& spec, const RewardWords& words, const PairedTest& test) {
  return fmt::format("{} {} {}, {}, n = {} pairs", words.Change(test.effect), words.subject(),
                     LevelRange(spec, words, test.interval), PText(test.p_value), test.count);
}

}  // namespace

std::string SignedPercent(double percent) {
  if (!std::isfinite(percent)) return percent < 0 ? "-inf %" : "+inf %";
  return fmt::format("{:+.1f} %", percent);
}

std::string PText(double p_value) {
  return p_value < 0.0001 ? "p < 0.0001" : fmt::format("p = {:.4f}", p_value);
}

RewardWords::RewardWords(const RewardRule& rule) {
  if (rule.formula == RewardRule::Formula::kPerformanceAndStability) {
    is_log_ = false;
    subject_ = "performance and stability";
    return;
  }
  if (rule.objectives.size() == 1) {
    is_turned_ = rule.objectives.front().direction == Direction::kLowerIsBetter;
    subject_ = rule.objectives.front().metric;
    return;
  }
  for (const Objective& objective : rule.objectives) {
    subject_ += (subject_.empty() ? "over " : ", ") + objective.metric;
  }
}

double RewardWords::Percent(double reward) const {
  if (!is_log_) return 100 * reward;
  return 100 * std::expm1(is_turned_ ? -reward : reward);
}

std::string RewardWords::Change(double reward) const { return SignedPercent(Percent(reward)); }

std::string RewardWords::Range(const Interval& interval) const {
  double low = interval.low;
  double high = interval.high;
  if (is_turned_) std::swap(low, high);
  return fmt::format("[{}, {}]", Change(low), Change(high));
}

RewardWords WordsFor(const Objective& objective) {
  RewardRule rule;
  rule.objectives = {objective};
  return RewardWords(rule);
}

std::string Headline(const CampaignSpec& spec, const Verdict& verdict) {
  if (verdict.kind == Verdict::Kind::kFront) {
    const auto better = std::count_if(verdict.front.begin(), verdict.front.end(),
                                      [](const Proof& proof) { return proof.is_gain; });
    return fmt::format("Front: {} of {} points proven better than the baseline in some objective",
                       better, verdict.front.size());
  }
  const bool is_gain = verdict.kind == Verdict::Kind::kGain;
  const std::string word = is_gain ? "Gain" : "No gain";
  if (!verdict.proof || verdict.proof->reward.count == 0) {
    return fmt::format("{}: {}", word, verdict.reason);
  }
  const std::string numbers = TestText(spec, RewardWords(spec.rule), verdict.proof->reward);
  if (is_gain) return fmt::format("{}: {}", word, numbers);
  return fmt::format("{}: {} ({})", word, verdict.reason, numbers);
}

}  // namespace hone::tune
