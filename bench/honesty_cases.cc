// SPDX-License-Identifier: Apache-2.0
#include "bench/honesty_cases.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "hone/core/check.h"

namespace hone {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double kBaselineLatency = 10;  // Of every surface.
constexpr double kLoss = 0.2;            // Of candidates that lose in the proof.
constexpr milliseconds kRunTime{100};
constexpr std::uint64_t kSteps = 9;  // From a search that was hardly begun to a whole one.

using Metrics = std::map<std::string, double>;

Metrics MetricsAt(const toy::Surface& surface, const Assignment& assignment) {
  const toy::Truth truth = surface.At(assignment);
  if (truth.is_crash) return {};
  return {{"throughput", truth.throughput}, {"latency_ms", truth.latency_ms}};
}

SimulatedTruth TruthOf(const HonestyCase& given, const toy::Surface& surface) {
  const Assignment defaults = surface.space().Defaults();
  return [given, surface, defaults](const Assignment& assignment) {
    const bool crashes = given.nothing_runs || (given.only_baseline_runs && assignment != defaults);
    return crashes ? Metrics() : MetricsAt(surface, assignment);
  };
}

SimulatedTruth TruthInProof(const HonestyCase& given, const toy::Surface& surface) {
  if (given.in_proof == InProof::kSame) return nullptr;
  const Assignment defaults = surface.space().Defaults();
  return [how = given.in_proof, surface, defaults](const Assignment& assignment) {
    if (assignment == defaults || how == InProof::kDoNothing) return MetricsAt(surface, defaults);
    if (how == InProof::kCrash) return Metrics();
    Metrics metrics = MetricsAt(surface, assignment);
    metrics["throughput"] *= std::exp(-kLoss);
    return metrics;
  };
}

tune::CampaignSpec SpecOf(const HonestyCase& given, std::uint64_t seed) {
  const std::uint64_t step = seed % kSteps;
  tune::CampaignSpec spec;
  spec.domain = "simulated";
  spec.rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  if (given.wants_front) {
    spec.rule.objectives.push_back({"latency_ms", Direction::kLowerIsBetter, 1});
  }
  if (given.limit) spec.rule.limits = {{"latency_ms", true, *given.limit, false}};
  spec.wants_front = given.wants_front;
  spec.seed = seed;
  if (given.has_few_pairs) spec.search.max_pairs = static_cast<std::int64_t>(4 + 12 * step);
  if (given.has_time) spec.search.max_time = seconds(3 + 4 * step);
  if (given.has_budget) spec.max_time = seconds(11 + 6 * step);
  if (given.has_no_time) spec.max_time = seconds(1 + step);
  if (given.is_spread) spec.proof.over = std::chrono::hours(1);
  return spec;
}

SimulatedCampaign CampaignOf(const HonestyCase& given, const toy::Surface& surface,
                             std::uint64_t seed) {
  SimulatedCampaign campaign;
  campaign.space = surface.space();
  campaign.truth = TruthOf(given, surface);
  campaign.truth_in_proof = TruthInProof(given, surface);
  campaign.noise = given.noise;
  campaign.drift = given.drift;
  campaign.wander = given.wander;
  campaign.run_time = kRunTime;
  campaign.spec = SpecOf(given, seed);
  if (given.is_interrupted) campaign.wrap_up_after = static_cast<int>(3 + 7 * (seed % kSteps));
  if (given.marked_share > 0) campaign.mark = "suspicious: the benchmark opened a parameter";
  campaign.marked_share = given.marked_share;
  return campaign;
}

std::vector<HonestyCase> CasesOfSearches() {
  return {{.name = "flat", .surface = "flat"},
          {.name = "flat, quiet", .surface = "flat", .noise = 0.01},
          {.name = "smooth"},
          {.name = "sparse", .surface = "sparse"},
          {.name = "sparse, small gain", .surface = "sparse", .gain = 0.03},
          {.name = "smooth, small gain", .gain = 0.04},
          {.name = "interrupted, flat", .surface = "flat", .is_interrupted = true},
          {.name = "interrupted", .is_interrupted = true},
          {.name = "interrupted, many parameters",
           .surface = "sparse",
           .gain = 0,
           .is_interrupted = true},
          {.name = "few pairs, flat", .surface = "flat", .has_few_pairs = true},
          {.name = "few pairs", .has_few_pairs = true},
          {.name = "time, flat", .surface = "flat", .has_time = true},
          {.name = "time", .has_time = true},
          {.name = "budget, flat", .surface = "flat", .has_budget = true},
          {.name = "budget", .has_budget = true},
          {.name = "budget, too short", .has_no_time = true}};
}

std::vector<HonestyCase> CasesOfProofs() {
  return {{.name = "candidates lose in the proof", .in_proof = InProof::kLose},
          {.name = "candidates do nothing in the proof", .in_proof = InProof::kDoNothing},
          {.name = "candidates crash in the proof", .in_proof = InProof::kCrash},
          {.name = "only the baseline runs", .only_baseline_runs = true},
          {.name = "nothing runs", .nothing_runs = true},
          {.name = "proof spread over time", .is_spread = true},
          {.name = "proof spread over time, flat", .surface = "flat", .is_spread = true},
          {.name = "baseline breaks the limit", .limit = 9.5},
          {.name = "nothing keeps the limit", .limit = 5},
          {.name = "some keep the limit", .limit = 10.5},
          {.name = "limit hardly in reach", .limit = 9.15},
          {.name = "limit, interrupted", .limit = 9.0, .is_interrupted = true},
          {.name = "suspected", .marked_share = 1},
          {.name = "suspected, flat", .surface = "flat", .marked_share = 1},
          {.name = "suspected in half of the runs", .marked_share = 0.5},
          {.name = "seen in a tenth of the runs", .marked_share = 0.1}};
}

std::vector<HonestyCase> CasesOfMachines() {
  return {{.name = "drifting", .drift = 0.3},
          {.name = "drifting, flat", .surface = "flat", .drift = -0.3},
          {.name = "wandering", .wander = 0.15},
          {.name = "wandering, flat", .surface = "flat", .wander = 0.15},
          {.name = "noisy", .noise = 0.3},
          {.name = "noisy, flat", .surface = "flat", .noise = 0.3}};
}

std::vector<HonestyCase> CasesOfFronts() {
  return {{.name = "front", .surface = "tradeoff", .wants_front = true},
          {.name = "front, flat", .surface = "flat", .wants_front = true},
          {.name = "front, small gain", .surface = "tradeoff", .gain = 0.03, .wants_front = true},
          {.name = "front, limit hardly in reach", .limit = 9.15, .wants_front = true},
          {.name = "front, interrupted",
           .surface = "tradeoff",
           .wants_front = true,
           .is_interrupted = true}};
}

}  // namespace

std::vector<HonestyCase> HonestyCases() {
  std::vector<HonestyCase> cases;
  for (auto&& more : {CasesOfSearches(), CasesOfProofs(), CasesOfMachines(), CasesOfFronts()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

double Played::GainOf(const Assignment& assignment) const {
  return toy::TrueLogGain(surface, assignment);
}

double Played::ProvenGain(const Assignment& assignment) const {
  const auto& truth = campaign.truth_in_proof ? campaign.truth_in_proof : campaign.truth;
  const Metrics metrics = truth(assignment);
  if (metrics.empty()) return -INFINITY;
  return std::log(metrics.at("throughput") / surface.At(surface.space().Defaults()).throughput);
}

double Played::LatencyOf(const Assignment& assignment) const {
  return surface.At(assignment).latency_ms;
}

std::vector<double> Played::GainsOf(const Assignment& assignment) const {
  return {GainOf(assignment), std::log(kBaselineLatency / LatencyOf(assignment))};
}

double Played::LargestGain() const {
  double largest = 0;
  for (const Assignment& one : outcome.tried) largest = std::max(largest, GainOf(one));
  return largest;
}

double Played::TypicalEffect() const {
  double sum = 0;
  for (const Assignment& one : outcome.tried) sum += std::pow(GainOf(one), 2);
  return std::sqrt(sum / std::max(1.0, static_cast<double>(outcome.tried.size())));
}

std::int64_t Played::CountKept(double bound) const {
  return std::ranges::count_if(outcome.tried,
                               [&](const Assignment& one) { return LatencyOf(one) <= bound; });
}

double Played::PairNoise() const { return std::sqrt(2.0) * given.noise; }

std::chrono::milliseconds Played::SmallestBudget() const {
  constexpr int kGate = 10;
  constexpr int kCandidates = 12;  // Of two pairs each.
  constexpr int kFinal = 8;
  constexpr int kProof = 12;
  return 2 * kRunTime * (kGate + 2 * kCandidates + kFinal + kProof);
}

bool Played::HasTriedEnough() const {
  const auto coordinates = static_cast<std::int64_t>(surface.space().UnitSize());
  const std::int64_t half = tune::SearchSettings().max_trials / 2;
  return outcome.races >= std::max<std::int64_t>(12, std::min(6 + 2 * coordinates, half));
}

std::string Played::Text() const {
  std::string text = outcome.verdict.reason;
  for (const std::string& note : outcome.verdict.notes) text += "\n" + note;
  if (!outcome.gate) return text;
  for (const std::string& warning : outcome.gate->warnings) text += "\n" + warning;
  return text;
}

bool Played::Says(std::string_view words) const { return Text().find(words) != std::string::npos; }

std::optional<double> Played::NumberBefore(std::string_view words) const {
  const std::string text = Text();
  const auto end = text.find(words);
  if (end == std::string::npos) return std::nullopt;
  auto begin = end;
  while (begin > 0 &&
         std::string_view("0123456789.").find(text[begin - 1]) != std::string_view::npos)
    --begin;
  return begin == end ? std::nullopt : std::optional(std::stod(text.substr(begin, end - begin)));
}

Played Play(const HonestyCase& given, std::uint64_t seed) {
  auto surface = toy::Surface::Make(given.surface, given.gain);
  HONE_CHECK(surface.has_value());
  SimulatedCampaign campaign = CampaignOf(given, *surface, seed);
  auto outcome = Simulate(campaign);
  return {given, *std::move(surface), std::move(campaign), std::move(outcome)};
}

}  // namespace hone
