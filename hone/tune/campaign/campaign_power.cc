// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/campaign_power.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace hone::tune {
namespace {

constexpr double kPower = 0.8;
// Of log(gain / noise): beyond, nothing was simulated.
constexpr double kMinLogRatio = -3;
constexpr double kMaxLogRatio = 3;

// The share of campaigns that claim a gain: ceiling / (1 + exp(-slope * (log(gain / noise) -
// middle))).
struct PowerCurve {
  std::string_view kind;
  std::int64_t trials = 0;
  std::int64_t parameters = 0;
  double ceiling = 0;
  double middle = 0;
  double slope = 0;

  double At(double log_ratio) const {
    return ceiling / (1 + std::exp(-slope * (log_ratio - middle)));
  }
};

const std::vector<PowerCurve>& Curves() {
  static const std::vector<PowerCurve> curves{
#include "hone/tune/campaign/power_table.inc"
  };
  return curves;
}

// A grid of sizes: where a number lies between two of its lines.
struct Place {
  std::int64_t below = 0;
  std::int64_t above = 0;
  double share = 0;  // Of the way from the one to the other, as logarithms.
};

Place PlaceOf(std::int64_t number, std::int64_t PowerCurve::*line) {
  Place place{0, 0, 0};
  for (const PowerCurve& curve : Curves()) {
    const std::int64_t at = curve.*line;
    if (at <= number) place.below = std::max(place.below, at);
    if (at >= number && (place.above == 0 || at < place.above)) place.above = at;
  }
  if (place.below == 0) place.below = place.above;
  if (place.above == 0) place.above = place.below;
  if (place.above > place.below) {
    place.share = std::log(static_cast<double>(number) / static_cast<double>(place.below)) /
                  std::log(static_cast<double>(place.above) / static_cast<double>(place.below));
  }
  return place;
}

// Fewer candidates and more parameters than were simulated would be promised too much.
bool IsCovered(const CampaignSize& size) {
  if (Curves().empty()) return false;
  const auto few = std::ranges::min(Curves(), {}, &PowerCurve::trials).trials;
  const auto many = std::ranges::max(Curves(), {}, &PowerCurve::parameters).parameters;
  return size.trials >= few && size.parameters >= 1 && size.parameters <= many &&
         std::isfinite(size.noise) && size.noise > 0;
}

double ChanceAt(std::string_view kind, std::int64_t trials, std::int64_t parameters,
                double log_ratio) {
  const auto curve = std::ranges::find_if(Curves(), [&](const PowerCurve& one) {
    return one.kind == kind && one.trials == trials && one.parameters == parameters;
  });
  return curve == Curves().end() ? 0 : curve->At(log_ratio);
}

double ChanceOf(std::string_view kind, const Place& trials, const Place& parameters,
                double log_ratio) {
  const auto along = [&](std::int64_t at) {
    return std::lerp(ChanceAt(kind, trials.below, at, log_ratio),
                     ChanceAt(kind, trials.above, at, log_ratio), trials.share);
  };
  return std::lerp(along(parameters.below), along(parameters.above), parameters.share);
}

FindChance ChanceIn(const CampaignSize& size, double log_ratio) {
  const Place trials = PlaceOf(size.trials, &PowerCurve::trials);
  const Place parameters = PlaceOf(size.parameters, &PowerCurve::parameters);
  FindChance chance{1, 0};
  for (const PowerCurve& curve : Curves()) {
    const double one = ChanceOf(curve.kind, trials, parameters, log_ratio);
    chance.low = std::min(chance.low, one);
    chance.high = std::max(chance.high, one);
  }
  return chance;
}

// Where the chance, which rises with the gain, comes to kPower.
std::optional<double> GainFor(const CampaignSize& size, double FindChance::*side) {
  double low = kMinLogRatio;
  double high = kMaxLogRatio;
  if (ChanceIn(size, high).*side < kPower) return std::nullopt;
  while (high - low > 0.001) {
    const double middle = (low + high) / 2;
    (ChanceIn(size, middle).*side < kPower ? low : high) = middle;
  }
  return size.noise * std::exp(high);
}

}  // namespace

std::optional<FindChance> ChanceToFind(const CampaignSize& size, double gain) {
  if (!IsCovered(size) || !(gain > 0)) return std::nullopt;
  return ChanceIn(size, std::clamp(std::log(gain / size.noise), kMinLogRatio, kMaxLogRatio));
}

std::optional<FindableOptimum> OptimumFound(const CampaignSize& size) {
  if (!IsCovered(size)) return std::nullopt;
  const auto kindest = GainFor(size, &FindChance::high);
  if (!kindest) return std::nullopt;
  return FindableOptimum{*kindest, GainFor(size, &FindChance::low)};
}

namespace {

bool IsUsualRace(const RaceSettings& race) {
  const RaceSettings usual;
  return race.first_pairs == usual.first_pairs && race.more_pairs == usual.more_pairs &&
         race.max_pairs == usual.max_pairs;
}

bool IsUsualProof(const ProofSettings& proof) {
  const ProofSettings usual;
  return proof.confidence == usual.confidence && proof.power == usual.power &&
         proof.min_pairs == usual.min_pairs && proof.max_pairs == usual.max_pairs &&
         proof.min_gain == usual.min_gain && proof.finalists == usual.finalists;
}

// Options of `bayes` are what another campaign has taught it.
bool IsUsualSearch(const SearchSettings& search) {
  const SearchSettings usual;
  return search.proposer == usual.proposer && search.options.empty() && search.max_pairs == 0 &&
         search.batch == usual.batch && search.min_remaining_gain == usual.min_remaining_gain;
}

}  // namespace

bool IsLikeSimulated(const CampaignSpec& spec) {
  const RewardRule& rule = spec.rule;
  const bool is_usual_rule = rule.limits.empty() && rule.objectives.size() == 1 &&
                             rule.formula == RewardRule::Formula::kGain;
  return !spec.comparison && spec.max_time.count() == 0 && is_usual_rule &&
         IsUsualSearch(spec.search) && IsUsualRace(spec.race) && IsUsualProof(spec.proof);
}

}  // namespace hone::tune
