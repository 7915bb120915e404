// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/proof.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "hone/measure/groups.h"
#include "hone/measure/power.h"
#include "hone/measure/statistics.h"
#include "hone/tune/campaign/words.h"

namespace hone::tune {
namespace {

constexpr std::int64_t kBlockPairs = 6;
constexpr std::int64_t kSpreadBlockPairs = 2;  // Where they are spread over time.
constexpr std::int64_t kMaxParts = 4;
constexpr std::int64_t kMinPartPairs = 4;
constexpr double kMovedLevel = 0.01;

// What the search believes is a little too good, even where it is a posterior.
constexpr double kProofCaution = 0.7;

LimitCheck CheckLimit(const Limit& limit, const std::vector<double>& margins, double confidence) {
  LimitCheck check;
  check.limit = limit;
  check.margin = TestPairs(margins, confidence);
  check.holds = check.margin.interval.low >= 0;
  return check;
}

void ShowCurrent(Stage& stage, const PairOrder& order, const std::vector<double>& rewards) {
  stage.progress.current = Progress::Current{
      std::nullopt, DescribeChange(order.baseline, order.candidate), rewards,
      Estimate{Mean(rewards), StandardErrorOfMean(rewards), std::ssize(rewards)}, ""};
}

// When the next block begins, where they are spread over time. What was measured before this
// process is not waited for again.
class BlockClock {
 public:
  BlockClock(Stage& stage, std::chrono::milliseconds over, std::int64_t blocks)
      : stage_(stage), gap_(blocks > 1 ? over / (blocks - 1) : std::chrono::milliseconds{0}) {}

  // False if it was told to stop.
  bool AwaitNext() {
    const bool is_first = std::exchange(is_first_, false);
    const auto left = gap_ - (std::chrono::steady_clock::now() - began_);
    if (!is_first && !stage_.runner.was_kept() && left.count() > 0) {
      stage_.Report(stage_.progress.done,
                    fmt::format("the next part of the proof begins in {}",
                                DurationText(std::chrono::ceil<std::chrono::seconds>(left))));
      if (!stage_.pause(left, stage_.runner.stop())) return false;
    }
    began_ = std::chrono::steady_clock::now();
    return true;
  }

 private:
  Stage& stage_;
  const std::chrono::milliseconds gap_;
  bool is_first_ = true;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace

std::string MovedText(const RewardRule& rule, const std::vector<double>& rewards,
                      std::chrono::milliseconds over) {
  const std::int64_t all = std::ssize(rewards);
  const std::int64_t count = std::min(kMaxParts, all / kMinPartPairs);
  if (over.count() == 0 || count < 2) return "";
  const RewardWords words(rule);
  std::vector<std::vector<double>> parts;
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < count; ++i) {
    parts.emplace_back(rewards.begin() + all * i / count, rewards.begin() + all * (i + 1) / count);
    texts.push_back(words.MetricChange(Mean(parts.back())));
  }
  const double chance = KruskalWallisP(parts);
  return fmt::format(
      "The pairs were spread over {}: in {} parts of it the change was {}. {}", DurationText(over),
      count, fmt::join(texts, ", "),
      chance < kMovedLevel
          ? fmt::format("They differ by more than chance explains ({}): at another time it may be "
                        "another change.",
                        PText(chance))
          : "They differ by no more than chance explains.");
}

Proof JudgeProof(const RewardRule& rule, const Measured& measured, double confidence) {
  Proof proof;
  proof.failure = measured.failure;
  if (measured.numbers.rewards.empty()) return proof;
  proof.reward = TestPairs(measured.numbers.rewards, confidence);
  proof.adjusted_p = proof.reward.p_value;
  for (std::size_t i = 0; i < rule.objectives.size(); ++i) {
    proof.objectives.push_back(
        {rule.objectives[i].metric, TestPairs(measured.numbers.objectives[i], confidence)});
  }
  bool is_within_limits = true;
  for (std::size_t i = 0; i < rule.limits.size(); ++i) {
    proof.limits.push_back(CheckLimit(rule.limits[i], measured.numbers.margins[i], confidence));
    is_within_limits = is_within_limits && proof.limits.back().holds;
  }
  proof.is_gain = proof.failure.empty() && is_within_limits &&
                  proof.reward.p_value <= 1 - confidence && proof.reward.interval.low > 0;
  return proof;
}

Result<Measured> MeasurePairs(Stage& stage, const PairOrder& order,
                              const std::function<bool(const PairNumbers&)>& enough) {
  Measured measured;
  const std::int64_t done_before = stage.progress.done;
  const std::int64_t block_pairs = order.over.count() > 0 ? kSpreadBlockPairs : kBlockPairs;
  BlockClock clock(stage, order.over, (order.pairs + block_pairs - 1) / block_pairs);
  for (std::int64_t done = 0; done < order.pairs;) {
    PairOrder block_order = order;
    block_order.id.round = done / block_pairs;
    block_order.pairs = std::min(block_pairs, order.pairs - done);
    if (!clock.AwaitNext()) {
      measured.is_interrupted = true;
      return measured;
    }
    const auto block = stage.runner.Run(block_order);
    if (!block) return block.error();
    if (block->is_interrupted) {
      measured.is_interrupted = true;
      return measured;
    }
    done += block_order.pairs;
    stage.Report(done_before + done);
    if (block->outcome != Outcome::kAccepted) {
      measured.failure = fmt::format("{}: {}", NameOf(block->outcome), block->reason);
      return measured;
    }
    const auto numbers = NumbersOf(stage.spec.rule, block->pairs);
    if (!numbers) {
      measured.failure = fmt::format("{}: {}", NameOf(Outcome::kWrong), numbers.error().message);
      return measured;
    }
    measured.numbers.Append(*numbers);
    ShowCurrent(stage, order, measured.numbers.rewards);
    stage.Report(stage.progress.done);
    if (enough && enough(measured.numbers)) break;
  }
  return measured;
}

Result<Proof> Prove(Stage& stage, const BlockId& id, const Candidate& candidate, std::int64_t pairs,
                    const ProofSettings& settings) {
  const auto measured = MeasurePairs(stage, {id, stage.baseline, candidate, pairs, settings.over});
  if (!measured) return measured.error();
  if (measured->is_interrupted) return Abandoned();
  Proof proof = JudgeProof(stage.spec.rule, *measured, settings.confidence);
  proof.moved = MovedText(stage.spec.rule, measured->numbers.rewards, settings.over);
  proof.candidate = candidate;
  return proof;
}

std::int64_t ProofPairs(const ProofSettings& settings, double expected, double noise) {
  const double effect = std::max(settings.min_gain, kProofCaution * expected);
  const std::int64_t needed = PairsNeeded(effect, noise, 1 - settings.confidence, settings.power);
  return std::clamp(needed, settings.min_pairs, settings.max_pairs);
}

std::int64_t FrontPairs(const ProofSettings& settings) {
  return settings.max_pairs / 2 + settings.min_pairs / 2;
}

double DetectableInFront(const CampaignSpec& spec, std::int64_t points, double noise) {
  const auto looks = static_cast<double>(points * std::ssize(spec.rule.objectives));
  return MinimumDetectableEffect(noise, FrontPairs(spec.proof), (1 - spec.proof.confidence) / looks,
                                 0.8);
}

std::int64_t ComparisonPairs(const ProofSettings& settings, double noise) {
  return ProofPairs(settings, 0, noise);
}

}  // namespace hone::tune
