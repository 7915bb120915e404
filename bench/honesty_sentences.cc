// SPDX-License-Identifier: Apache-2.0
#include "bench/honesty_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/simulated_campaign.h"
#include "hone/core/check.h"
#include "hone/domains/toy/toy_surface.h"
#include "hone/measure/distributions.h"
#include "hone/tune/campaign/campaign_power.h"

namespace hone {
namespace {

using Kind = tune::Verdict::Kind;

constexpr double kMinTrue = 0.95;
constexpr double kMaxWrong = 0.10;
constexpr double kChance = 0.01;

struct Case {
  std::string name;
  std::string surface = "smooth";
  double gain = 0.10;
  std::optional<double> limit = {};  // latency_ms at most; the baseline has 10.
  bool is_cut_short = false;
  bool is_marked = false;
  double noise = 0.05;  // Of a run.
};

std::vector<Case> Cases() {
  return {
      {.name = "flat", .surface = "flat"},
      {.name = "flat, quiet", .surface = "flat", .noise = 0.01},
      {.name = "smooth"},
      {.name = "sparse, small gain", .surface = "sparse", .gain = 0.03},
      {.name = "cut short, flat", .surface = "flat", .is_cut_short = true},
      {.name = "cut short", .is_cut_short = true},
      {.name = "cut short, many parameters", .surface = "sparse", .gain = 0, .is_cut_short = true},
      {.name = "baseline breaks the limit", .limit = 9.5},
      {.name = "nothing keeps the limit", .limit = 5},
      {.name = "some keep the limit", .limit = 10.5},
      {.name = "limit, cut short", .limit = 9.0, .is_cut_short = true},
      {.name = "suspected", .is_marked = true},
      {.name = "suspected, flat", .surface = "flat", .is_marked = true},
  };
}

// One campaign of a case and the truth about it.
struct Played {
  Case given;
  toy::Surface surface;
  SimulatedOutcome outcome;

  double GainOf(const Assignment& assignment) const {
    return toy::TrueLogGain(surface, assignment);
  }
  double LatencyOf(const Assignment& assignment) const { return surface.At(assignment).latency_ms; }
  double LargestGain() const {
    double largest = 0;
    for (const Assignment& one : outcome.tried) largest = std::max(largest, GainOf(one));
    return largest;
  }
  double TypicalEffect() const {
    double sum = 0;
    for (const Assignment& one : outcome.tried) sum += std::pow(GainOf(one), 2);
    return std::sqrt(sum / std::max(1.0, static_cast<double>(outcome.tried.size())));
  }
  std::int64_t CountKept(double bound) const {
    return std::ranges::count_if(outcome.tried,
                                 [&](const Assignment& one) { return LatencyOf(one) <= bound; });
  }
  // Said here in numbers, so that the program's own rule is held against it.
  bool HasTriedEnough() const {
    const auto coordinates = static_cast<std::int64_t>(surface.space().UnitSize());
    const std::int64_t half = tune::SearchSettings().max_trials / 2;
    return outcome.races >= std::max<std::int64_t>(12, std::min(6 + 2 * coordinates, half));
  }
  std::string Text() const {
    std::string text = outcome.verdict.reason;
    for (const std::string& note : outcome.verdict.notes) text += "\n" + note;
    for (const std::string& warning : outcome.warnings) text += "\n" + warning;
    return text;
  }
};

SimulatedCampaign CampaignOf(const Case& given, const toy::Surface& surface, std::uint64_t seed) {
  SimulatedCampaign campaign;
  campaign.space = surface.space();
  campaign.truth = [&surface](const Assignment& assignment) {
    const toy::Truth truth = surface.At(assignment);
    if (truth.is_crash) return std::map<std::string, double>();
    return std::map<std::string, double>{{"throughput", truth.throughput},
                                         {"latency_ms", truth.latency_ms}};
  };
  campaign.noise = given.noise;
  campaign.spec.domain = "simulated";
  campaign.spec.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  if (given.limit) campaign.spec.rule.limits = {{"latency_ms", true, *given.limit, false}};
  campaign.spec.seed = seed;
  if (given.is_cut_short) campaign.wrap_up_after = static_cast<int>(3 + 7 * (seed % 9));
  if (given.is_marked) campaign.mark = "suspicious: the benchmark opened a parameter";
  return campaign;
}

Played Play(const Case& given, std::uint64_t seed) {
  auto surface = toy::Surface::Make(given.surface, given.gain);
  HONE_CHECK(surface.has_value());
  auto outcome = Simulate(CampaignOf(given, *surface, seed));
  return {given, *std::move(surface), std::move(outcome)};
}

// The number that stands before `words`.
std::optional<double> NumberBefore(const std::string& text, std::string_view words) {
  const auto end = text.find(words);
  if (end == std::string::npos) return std::nullopt;
  auto begin = end;
  while (begin > 0 &&
         std::string_view("0123456789.").find(text[begin - 1]) != std::string_view::npos)
    --begin;
  return begin == end ? std::nullopt : std::optional(std::stod(text.substr(begin, end - begin)));
}

bool Says(const Played& played, std::string_view words) {
  return played.Text().find(words) != std::string::npos;
}

// None: it was not said. Otherwise whether it is true.
using Judge = std::function<std::optional<bool>(const Played&)>;
struct Sentence {
  std::string name;
  Judge judge;
  double min_true = kMinTrue;
};

std::optional<bool> JudgeGain(const Played& played) {
  const tune::Verdict& verdict = played.outcome.verdict;
  if (verdict.kind != Kind::kGain) return std::nullopt;
  const Assignment& winner = verdict.proof->candidate.assignment;
  return played.GainOf(winner) > 0 && !played.given.is_marked &&
         (!played.given.limit || played.LatencyOf(winner) <= *played.given.limit);
}

std::optional<bool> JudgeInterval(const Played& played) {
  const auto& proof = played.outcome.verdict.proof;
  if (!proof || !proof->reward.interval.IsBounded()) return std::nullopt;
  return proof->reward.interval.Contains(played.GainOf(proof->candidate.assignment));
}

std::optional<bool> JudgeNoneBelieved(const Played& played) {
  if (!Says(played, "none is believed to beat")) return std::nullopt;
  return played.LargestGain() < std::sqrt(2.0) * played.given.noise;
}

std::optional<bool> JudgeNoGain(const Played& played) {
  if (played.outcome.verdict.kind != Kind::kNoGain) return std::nullopt;
  // A search may also end by itself, where little more was to be expected.
  return !Says(played, " of at most ") || played.HasTriedEnough();
}

std::optional<bool> JudgeNotEnough(const Played& played) {
  if (played.outcome.verdict.kind != Kind::kNotEnough) return std::nullopt;
  return played.given.is_cut_short && !played.HasTriedEnough();
}

std::optional<bool> JudgeCutShort(const Played& played) {
  const auto said = NumberBefore(played.Text(), " of at most ");
  if (!said) return std::nullopt;
  return played.given.is_cut_short && *said == static_cast<double>(played.outcome.races);
}

std::optional<bool> JudgeMayNotMatter(const Played& played) {
  if (!Says(played, "may not matter")) return std::nullopt;
  const bool is_enough = !Says(played, " of at most ") || played.HasTriedEnough();
  return is_enough && played.TypicalEffect() <= 2 * tune::ProofSettings().min_gain;
}

std::optional<bool> JudgeUnseen(const Played& played) {
  const auto said = NumberBefore(played.Text(), " % cannot be seen");
  if (!said) return std::nullopt;
  return played.TypicalEffect() <= std::log1p(*said / 100);
}

// Candidates whose latency lies within the noise of the bound may be counted either way.
std::optional<bool> JudgeKept(const Played& played) {
  const auto at = played.Text().find("kept by ");
  if (at == std::string::npos || !played.given.limit) return std::nullopt;
  const auto said = std::stol(played.Text().substr(at + 8));
  return said >= played.CountKept(*played.given.limit * (1 - 2 * played.given.noise)) &&
         said <= played.CountKept(*played.given.limit * (1 + 2 * played.given.noise));
}

std::optional<bool> JudgeNoneKept(const Played& played) {
  if (!Says(played, "none kept the limits")) return std::nullopt;
  return played.CountKept(*played.given.limit * (1 - 2 * played.given.noise)) == 0;
}

std::optional<bool> JudgeBaselineBreaks(const Played& played) {
  if (!Says(played, "the baseline itself breaks the limit")) return std::nullopt;
  return played.LatencyOf(played.surface.space().Defaults()) > *played.given.limit;
}

std::optional<bool> JudgeSuspicious(const Played& played) {
  if (played.outcome.verdict.kind != Kind::kSuspicious) return std::nullopt;
  return played.given.is_marked;
}

std::vector<Sentence> Sentences() {
  return {{"gain: better, limits kept, not suspected", JudgeGain},
          {"the interval covers the truth", JudgeInterval, kMinCoverage},
          {"none is believed to beat the baseline", JudgeNoneBelieved},
          {"no gain: enough was tried", JudgeNoGain},
          {"not enough was tried", JudgeNotEnough},
          {"after N of at most M candidates", JudgeCutShort},
          {"the parameters may not matter", JudgeMayNotMatter},
          {"effects below X % cannot be seen", JudgeUnseen},
          {"limits: kept by K candidates", JudgeKept},
          {"none kept the limits", JudgeNoneKept},
          {"the baseline itself breaks the limit", JudgeBaselineBreaks},
          {"suspicious", JudgeSuspicious}};
}

// The chance of so many and more, or so few and fewer, if each is right with this chance.
double ChanceOfSuch(int found, int all, double chance) {
  const double sd = std::sqrt(std::max(1e-9, all * chance * (1 - chance)));
  return NormalCdf(-std::max(0.0, std::fabs(found - all * chance) - 0.5) / sd);
}

struct PowerCase {
  std::string surface;
  double gain = 0;
  double noise = 0;
};

int CountClaims(const PowerCase& given, int campaigns) {
  std::atomic<int> claims = 0;
  ForEachAtOnce(campaigns, [&](int i) {
    const auto surface = toy::Surface::Make(given.surface, given.gain);
    auto campaign = CampaignOf({}, *surface, 9000 + static_cast<std::uint64_t>(i));
    campaign.noise = given.noise;
    campaign.spec.proof.has_ablation = false;
    claims += Simulate(campaign).verdict.kind == Kind::kGain ? 1 : 0;
  });
  return claims;
}

}  // namespace

bool CheckSentences(int campaigns) {
  const auto cases = Cases();
  const auto sentences = Sentences();
  struct Count {
    int said = 0;
    int is_true = 0;
    std::string untrue;  // Of the first that is not.
  };
  std::vector<Count> counts(sentences.size());
  std::mutex mutex;
  ForEachAtOnce(campaigns, [&](int i) {
    const auto number = static_cast<std::size_t>(i);
    const Played played = Play(cases[number % cases.size()], 7000 + number / cases.size());
    const std::scoped_lock lock(mutex);
    for (std::size_t s = 0; s < sentences.size(); ++s) {
      const auto judged = sentences[s].judge(played);
      if (!judged) continue;
      ++counts[s].said;
      counts[s].is_true += *judged ? 1 : 0;
      if (!*judged && counts[s].untrue.empty()) {
        counts[s].untrue = fmt::format("{}: {}", played.given.name, played.Text());
      }
    }
  });
  fmt::print("\n{} campaigns cut short, with limits, suspected\n{:<44} {:>6} {:>7}\n", campaigns,
             "sentence", "said", "true");
  bool holds = true;
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    const Count& count = counts[s];
    const double share = count.said == 0 ? 1 : static_cast<double>(count.is_true) / count.said;
    fmt::print("{:<44} {:>6} {:>7}\n", sentences[s].name, count.said, count.is_true);
    if (count.said > 0 && share >= sentences[s].min_true) continue;
    holds = false;
    fmt::print("    {}\n", count.said == 0 ? "never said: nothing is known of it" : count.untrue);
  }
  return holds;
}

std::vector<std::string> SurfacesWithOptimum() {
  std::vector<std::string> surfaces = toy::SurfaceNames();
  std::erase(surfaces, "flat");
  return surfaces;
}

bool CheckPowerLine(int campaigns, const std::vector<std::string>& surfaces) {
  fmt::print("\nThe power of whole campaigns: {} each, 40 candidates at most\n", campaigns);
  fmt::print("{:<14} {:>8} {:>8} {:>12} {:>16}\n", "surface", "optimum", "noise", "gain claimed",
             "as was named");
  bool holds = true;
  for (const std::string& surface : surfaces) {
    for (const auto& [gain, noise] :
         {std::pair{0.028, 0.05}, {0.05, 0.05}, {0.05, 0.02}, {0.10, 0.10}}) {
      const int claims = CountClaims({surface, gain, noise}, campaigns);
      const auto made = toy::Surface::Make(surface, gain);
      const auto named =
          tune::ChanceToFind({40, static_cast<std::int64_t>(made->space().parameters().size()),
                              std::sqrt(2.0) * noise},
                             std::log1p(gain));
      HONE_CHECK(named.has_value());
      const double share = static_cast<double>(claims) / campaigns;
      const double nearest = std::clamp(share, std::max(0.0, named->low - kMaxWrong),
                                        std::min(1.0, named->high + kMaxWrong));
      const bool is_right = share == nearest || ChanceOfSuch(claims, campaigns, nearest) >= kChance;
      fmt::print("{:<14} {:>6.1f} % {:>6.0f} % {:>10.0f} % {:>7.0f} to {:>3.0f} %  {}\n", surface,
                 100 * gain, 100 * noise, 100 * share, 100 * named->low, 100 * named->high,
                 is_right ? "" : "wrong");
      std::fflush(stdout);
      holds = holds && is_right;
    }
  }
  return holds;
}

}  // namespace hone
