// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/belief_model.h"

#include <algorithm>
#include <cmath>

#include "hone/measure/distributions.h"
#include "hone/tune/proposers/model/acquisition.h"
#include "hone/tune/proposers/model/trial_memory.h"

namespace hone::tune {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Up to so many trials, each brings a fit; then one in (trials / kTrialsPerFit) does, and a shorter
// one, for little changes and the next starts where this one ended.
constexpr std::size_t kAlwaysFitted = 40;
constexpr std::size_t kTrialsPerFit = 15;
constexpr int kFitEvaluations = 12;
constexpr int kMaxWork = 500;  // Evaluations times trials, afterwards.
constexpr int kFewestEvaluations = 3;
constexpr double kLabelVariance = 0.05;  // A failure near a success is possible.
constexpr double kLabelSpread = 0.2;     // Of the belief about a label.

double MedianOf(VectorXd values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

VectorXd ToVector(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
}

// The baseline comes first, and of it there is none.
VectorXd DoubtAfterFirst(Index count) {
  VectorXd doubt = VectorXd::Ones(count);
  doubt(0) = 0;
  return doubt;
}

double VarianceOfTrial(const Trial& trial) {
  return trial.reward.standard_error * trial.reward.standard_error;
}

}  // namespace

VectorXd Squashed(const VectorXd& values) {
  if (values.size() == 0) return values;
  const double best = values.maxCoeff();
  const double floor = std::min(2 * MedianOf(values) - best, 0.0);
  const double unit = (best - floor) / 2;
  if (!(unit > 0)) return values;
  return values.unaryExpr([&](double value) {
    return value >= floor ? value : floor - unit * std::log1p((floor - value) / unit);
  });
}

BeliefModel::BeliefModel(const FeatureMap& map, const Assignment& baseline)
    : map_(map), baseline_(map.Encode(baseline)), reward_(map.groups()), failure_(map.groups()) {
  Rebuild({});
}

void BeliefModel::Rebuild(const std::map<std::int64_t, Trial>& trials) {
  rewards_ = {0};
  std::vector<double> variances = {0};
  std::vector<double> labels = {0};
  std::vector<Index> accepted = {0};
  MatrixXd points(baseline_.size(), static_cast<Index>(trials.size()) + 1);
  points.col(0) = baseline_;
  for (const auto& [number, trial] : trials) {
    const auto place = static_cast<Index>(labels.size());
    points.col(place) = map_.Encode(trial.candidate.assignment);
    labels.push_back(IsFeasible(trial) ? 0 : -1);
    if (trial.outcome != Outcome::kAccepted) continue;
    accepted.push_back(place);
    rewards_.push_back(trial.reward.mean);
    variances.push_back(VarianceOfTrial(trial));
  }
  known_ = trials.size();
  failures_ = static_cast<std::size_t>(std::count(labels.begin(), labels.end(), -1.0));
  reward_.SetObservations({.points = points(Eigen::all, accepted),
                           .values = Squashed(ToVector(rewards_)),
                           .variances = ToVector(variances),
                           .doubt = DoubtAfterFirst(static_cast<Index>(accepted.size()))});
  const auto count = static_cast<Index>(labels.size());
  if (failures_ > 0) {
    failure_.SetObservations({.points = std::move(points),
                              .values = ToVector(labels),
                              .variances = VectorXd::Constant(count, kLabelVariance),
                              .doubt = DoubtAfterFirst(count)});
  }
}

void BeliefModel::Append(const Trial& trial) {
  const VectorXd point = map_.Encode(trial.candidate.assignment);
  ++known_;
  if (failures_ > 0) failure_.Append(point, IsFeasible(trial) ? 0 : -1, kLabelVariance);
  if (!IsFeasible(trial)) ++failures_;
  if (trial.outcome != Outcome::kAccepted) return;
  rewards_.push_back(trial.reward.mean);
  reward_.Append(point, trial.reward.mean, VarianceOfTrial(trial));
  reward_.SetValues(Squashed(ToVector(rewards_)));
}

void BeliefModel::Learn(const std::map<std::int64_t, Trial>& trials, std::int64_t newest) {
  const Trial& trial = trials.at(newest);
  const bool is_first_failure = failures_ == 0 && !IsFeasible(trial);
  if (trials.size() == known_ + 1 && !is_first_failure) {
    Append(trial);
  } else {
    Rebuild(trials);
  }
  if (reward_.size() > 1) {
    typical_noise_ = MedianOf(reward_.observations().variances.tail(reward_.size() - 1));
  }
  FitIfDue();
}

// The two processes take turns, so that no tell takes long.
void BeliefModel::FitIfDue() {
  const bool is_early = known_ <= kAlwaysFitted;
  const int evaluations = is_early
                              ? kFitEvaluations
                              : std::max(kMaxWork / static_cast<int>(known_), kFewestEvaluations);
  if (failures_ > 0 && (is_early || owes_failure_fit_)) {
    failure_.Fit(evaluations);
    owes_failure_fit_ = false;
  }
  if (!is_early && known_ < fitted_at_ + known_ / kTrialsPerFit) return;
  reward_.Fit(evaluations);
  fitted_at_ = known_;
  owes_failure_fit_ = true;
}

VectorXd BeliefModel::ChanceOfSuccess(const MatrixXd& points) const {
  if (failures_ == 0) return VectorXd::Ones(points.cols());
  return failure_.PredictMean(points).unaryExpr(
      [](double label) { return NormalCdf((label + 0.5) / kLabelSpread); });
}

}  // namespace hone::tune
