// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/kernel/kernel_scores.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "hone/core/check.h"

namespace hone::agent {
namespace {

bool IsBuilt(const KernelAttempt& attempt) {
  return !attempt.source.empty() && attempt.verdict.outcome != Outcome::kBuildFailed &&
         attempt.verdict.outcome != Outcome::kRejected;
}

// The best that a line had by the end of each round.
struct LineBest {
  bool is_accepted = false;
  double value = 0;
  double low = 0;

  void Take(const KernelAttempt& attempt) {
    if (!attempt.IsAccepted()) return;
    is_accepted = true;
    if (!attempt.verdict.speedup) return;
    value = std::max(value, attempt.verdict.speedup->value);
    low = std::max(low, attempt.verdict.speedup->low);
  }
};

RoundScores ScoreRound(std::int64_t round, const std::vector<LineBest>& lines,
                       const std::vector<double>& thresholds) {
  const auto share = [&](const auto& holds) {
    const auto count = std::count_if(lines.begin(), lines.end(), holds);
    return static_cast<double>(count) / static_cast<double>(lines.size());
  };
  RoundScores scores{.round = round, .fast = {}};
  scores.accepted = share([](const LineBest& line) { return line.is_accepted; });
  for (const double threshold : thresholds) {
    scores.fast.push_back(
        {.threshold = threshold,
         .by_estimate = share([&](const LineBest& line) { return line.value >= threshold; }),
         .by_lower_bound = share([&](const LineBest& line) { return line.low >= threshold; })});
  }
  return scores;
}

std::vector<double> PassRates(const std::vector<std::vector<KernelAttempt>>& problems) {
  std::int64_t samples = std::numeric_limits<std::int64_t>::max();
  std::vector<std::pair<std::int64_t, std::int64_t>> counts;  // Of samples, and of right ones.
  for (const auto& attempts : problems) {
    std::int64_t n = 0;
    std::int64_t right = 0;
    for (const KernelAttempt& one : attempts) {
      if (one.round != 0) continue;
      ++n;
      right += one.IsAccepted() ? 1 : 0;
    }
    counts.emplace_back(n, right);
    samples = std::min(samples, n);
  }
  std::vector<double> rates;
  for (std::int64_t k = 1; !counts.empty() && k <= samples; ++k) {
    double sum = 0;
    for (const auto& [n, right] : counts) sum += PassAtK(n, right, k);
    rates.push_back(sum / static_cast<double>(counts.size()));
  }
  return rates;
}

}  // namespace

double PassAtK(std::int64_t n, std::int64_t c, std::int64_t k) {
  HONE_CHECK(0 <= c && c <= n && 1 <= k && k <= n);
  if (n - c < k) return 1;
  double none = 1;
  for (std::int64_t i = n - c + 1; i <= n; ++i) {
    none *= 1 - static_cast<double>(k) / static_cast<double>(i);
  }
  return 1 - none;
}

KernelScores ScoresOf(const std::vector<std::vector<KernelAttempt>>& problems,
                      const std::vector<double>& thresholds) {
  KernelScores scores;
  std::int64_t rounds = 0;
  for (const auto& attempts : problems) {
    for (const KernelAttempt& one : attempts) {
      ++scores.attempts;
      scores.with_source += one.source.empty() ? 0 : 1;
      scores.built += IsBuilt(one) ? 1 : 0;
      scores.accepted += one.IsAccepted() ? 1 : 0;
      rounds = std::max(rounds, one.round + 1);
    }
  }
  if (scores.attempts == 0) return scores;
  for (double* const share : {&scores.with_source, &scores.built, &scores.accepted}) {
    *share /= static_cast<double>(scores.attempts);
  }
  std::map<std::pair<std::size_t, std::int64_t>, LineBest> lines;  // By problem and line.
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::size_t problem = 0; problem < problems.size(); ++problem) {
      for (const KernelAttempt& one : problems[problem]) {
        if (one.round == round) lines[{problem, one.line}].Take(one);
      }
    }
    std::vector<LineBest> bests;
    bests.reserve(lines.size());
    for (const auto& [key, best] : lines) bests.push_back(best);
    scores.rounds.push_back(ScoreRound(round, bests, thresholds));
  }
  scores.pass_at = PassRates(problems);
  return scores;
}

}  // namespace hone::agent
