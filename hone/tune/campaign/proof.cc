// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/proof.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/measure/power.h"
#include "hone/measure/statistics.h"

namespace hone::tune {
namespace {

constexpr std::int64_t kBlockPairs = 6;

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

}  // namespace

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
  for (std::int64_t done = 0; done < order.pairs;) {
    PairOrder block_order = order;
    block_order.id.round = done / kBlockPairs;
    block_order.pairs = std::min(kBlockPairs, order.pairs - done);
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
                    double confidence) {
  const auto measured = MeasurePairs(stage, {id, stage.baseline, candidate, pairs});
  if (!measured) return measured.error();
  if (measured->is_interrupted) return Abandoned();
  Proof proof = JudgeProof(stage.spec.rule, *measured, confidence);
  proof.candidate = candidate;
  return proof;
}

std::int64_t ProofPairs(const ProofSettings& settings, double expected, double noise) {
  const double effect = std::max(settings.min_gain, kProofCaution * expected);
  const std::int64_t needed = PairsNeeded(effect, noise, 1 - settings.confidence, settings.power);
  return std::clamp(needed, settings.min_pairs, settings.max_pairs);
}

std::int64_t ComparisonPairs(const ProofSettings& settings, double noise) {
  return ProofPairs(settings, 0, noise);
}

}  // namespace hone::tune
