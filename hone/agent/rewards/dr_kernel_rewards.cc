// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/dr_kernel_rewards.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

namespace hone::agent {
namespace {

const Metric* FindMetric(const Evaluation& evaluation, std::string_view name) {
  const auto found = std::find_if(evaluation.metrics.begin(), evaluation.metrics.end(),
                                  [name](const Metric& metric) { return metric.name == name; });
  return found == evaluation.metrics.end() ? nullptr : &*found;
}

Result<void> ReadSpeedup(const Evaluation& evaluation, KernelFacts& facts) {
  const Metric* speedup = FindMetric(evaluation, "speedup");
  if (speedup == nullptr) return {};
  if (!std::isfinite(speedup->value) || speedup->value <= 0 || !std::isfinite(speedup->spread)) {
    return Error{Errc::kCorrupt,
                 fmt::format("task {}: speedup {} cannot be", evaluation.task, speedup->value)};
  }
  facts.speedup = speedup->value;
  facts.speedup_low = std::max(0.0, speedup->value - 2 * std::abs(speedup->spread));
  return {};
}

Result<void> ReadCoverage(const Evaluation& evaluation, KernelFacts& facts) {
  const Metric* coverage = FindMetric(evaluation, "coverage");
  if (coverage == nullptr) return {};
  if (!(coverage->value >= 0 && coverage->value <= 1)) {
    return Error{Errc::kCorrupt, fmt::format("task {}: coverage {} is not a share", evaluation.task,
                                             coverage->value)};
  }
  facts.coverage = coverage->value;
  return {};
}

Error NotTimed() {
  return {Errc::kUnsupported,
          "speedup: the kernel is correct but was not timed (samples=0?), so it has no reward"};
}

Error NotProfiled() {
  return {Errc::kUnsupported,
          "coverage: the kernel was not profiled, so a reward that counts it cannot be computed; "
          "set its weight to 0"};
}

}  // namespace

Result<KernelFacts> KernelFactsOf(const Evaluation& evaluation) {
  KernelFacts facts;
  switch (evaluation.outcome) {
    case Outcome::kRejected:
      return Error{Errc::kInvalidArgument, fmt::format("task {}: rejected before it was judged: {}",
                                                       evaluation.task, evaluation.reason)};
    case Outcome::kBuildFailed:
      return facts;
    case Outcome::kCheated:
      facts.is_compiled = true;
      facts.is_decoy = true;
      return facts;
    case Outcome::kCrashed:
    case Outcome::kTimedOut:
    case Outcome::kWrong:
      facts.is_compiled = true;
      return facts;
    case Outcome::kAccepted:
      break;
  }
  facts.is_compiled = true;
  facts.is_correct = true;
  if (auto read = ReadSpeedup(evaluation, facts); !read) return read.error();
  if (auto read = ReadCoverage(evaluation, facts); !read) return read.error();
  return facts;
}

Result<KernelFacts> KernelFactsOf(const Settlement& settlement) {
  if (const auto* evaluation = std::get_if<Evaluation>(&settlement.end)) {
    return KernelFactsOf(*evaluation);
  }
  return Error{Errc::kUnavailable,
               fmt::format("the kernel was not judged: {}; this is no reward of 0, ask again",
                           std::get<Settlement::Drop>(settlement.end).reason)};
}

Result<double> PrReward(const KernelFacts& facts, const PrSettings& settings) {
  if (!facts.is_compiled || !facts.is_correct || facts.is_decoy) return settings.failure_reward;
  double reward = settings.correct;
  if (settings.speedup > 0) {
    const auto& speedup = settings.uses_lower_bound ? facts.speedup_low : facts.speedup;
    if (!speedup) return NotTimed();
    const double counted = std::min(*speedup, settings.max_speedup);
    reward += settings.speedup * (*speedup < settings.min_speedup ? 0 : counted);
  }
  if (settings.coverage > 0) {
    if (!facts.coverage) return NotProfiled();
    reward += settings.coverage * *facts.coverage;
  }
  return reward;
}

Result<double> WeightedReward(const KernelFacts& facts) {
  if (!facts.is_correct || facts.is_decoy) return 0.0;
  if (!facts.speedup) return NotTimed();
  return 0.5 + (*facts.speedup >= 1.01 ? 0.5 : 0);
}

Result<double> LadderReward(const KernelFacts& facts) {
  if (facts.is_decoy) return -1.0;
  if (!facts.is_compiled) return -0.5;
  if (!facts.is_correct) return -0.3;
  if (!facts.speedup) return NotTimed();
  constexpr std::array<std::pair<double, double>, 5> kSteps = {
      {{3, 1.0}, {2, 0.8}, {1.5, 0.6}, {1.2, 0.4}, {1, 0.2}}};
  for (const auto& [speedup, reward] : kSteps) {
    if (*facts.speedup >= speedup) return reward;
  }
  return -0.1;
}

Result<double> PrsKeepProbability(const KernelFacts& facts, double threshold, double width) {
  if (!(width > 0)) {
    return Error{Errc::kInvalidArgument, fmt::format("width {}: expected more than 0", width)};
  }
  if (!facts.is_correct || facts.is_decoy) return 1.0;
  if (!facts.coverage) return NotProfiled();
  return std::clamp((*facts.coverage - threshold) / width, 0.0, 1.0);
}

std::vector<bool> TurnLossMask(const std::vector<double>& rewards) {
  std::vector<bool> mask;
  bool has_succeeded = false;
  for (const double reward : rewards) {
    mask.push_back(mask.empty() || !has_succeeded || reward > 0);
    has_succeeded = has_succeeded || reward > 0;
  }
  return mask;
}

std::vector<double> ReturnsOf(const std::vector<double>& rewards, double gamma) {
  std::vector<double> returns(rewards.size());
  double next = 0;
  for (std::size_t k = rewards.size(); k-- > 0;) returns[k] = next = rewards[k] + gamma * next;
  return returns;
}

std::vector<double> TrlooAdvantages(const std::vector<TurnReturn>& turns) {
  struct Group {
    double sum = 0;
    double count = 0;
  };
  std::map<std::pair<std::string, std::int64_t>, Group> groups;
  for (const TurnReturn& turn : turns) {
    if (!turn.is_counted) continue;
    Group& group = groups[{turn.prompt, turn.turn}];
    group.sum += turn.value;
    group.count += 1;
  }
  std::vector<double> advantages;
  for (const TurnReturn& turn : turns) {
    if (!turn.is_counted) {
      advantages.push_back(0);
      continue;
    }
    const Group& group = groups.at({turn.prompt, turn.turn});
    const bool is_alone = group.count < 2;
    advantages.push_back(is_alone ? turn.value
                                  : turn.value - (group.sum - turn.value) / (group.count - 1));
  }
  return advantages;
}

Result<std::vector<bool>> MrsKeep(const std::vector<TurnTokens>& turns,
                                  const MrsSettings& settings) {
  double sum = 0;
  double count = 0;
  std::vector<bool> kept;
  for (const TurnTokens& turn : turns) {
    if (turn.trainer.size() != turn.sampler.size()) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("turn {}: {} log-probabilities of the trainer, {} of the sampler",
                               kept.size(), turn.trainer.size(), turn.sampler.size())};
    }
    bool is_vetoed = false;
    for (std::size_t t = 0; t < turn.trainer.size(); ++t) {
      const double difference = turn.trainer[t] - turn.sampler[t];
      if (!std::isfinite(difference)) {
        return Error{
            Errc::kInvalidArgument,
            fmt::format("turn {}, token {}: a log-probability is not finite", kept.size(), t)};
      }
      is_vetoed = is_vetoed || difference < std::log(settings.veto);
      sum += difference;
      count += 1;
    }
    kept.push_back(!is_vetoed);
  }
  if (count == 0) return Error{Errc::kInvalidArgument, "no token was sampled"};
  const double rho = std::exp(std::clamp(sum / count, -20.0, 20.0));
  if (rho < settings.lowest || rho > settings.highest) kept.assign(kept.size(), false);
  return kept;
}

bool IsGroupKept(const std::vector<double>& last_rewards, double min_deviation) {
  if (last_rewards.size() < 2) return false;
  const auto count = static_cast<double>(last_rewards.size());
  double mean = 0;
  for (const double reward : last_rewards) mean += reward / count;
  double squares = 0;
  for (const double reward : last_rewards) squares += (reward - mean) * (reward - mean);
  return std::sqrt(squares / (count - 1)) >= min_deviation;
}

}  // namespace hone::agent
