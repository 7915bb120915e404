// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/belief_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

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
constexpr double kEarlierLabelVariance = 0.25;
constexpr std::size_t kTelling = 5;  // Trials, from which on they are compared with earlier ones.
constexpr double kEarlierDoubt = 0.25;  // Of the variance of the rewards that were seen then.

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

double DoubtOf(const std::vector<Trial>& earlier) {
  std::vector<double> rewards;
  for (const Trial& trial : earlier) {
    if (trial.outcome == Outcome::kAccepted) rewards.push_back(trial.reward.mean);
  }
  if (rewards.size() < 2) return 1;
  const VectorXd squashed = Squashed(ToVector(rewards));
  const double spread = (squashed.array() - squashed.mean()).square().sum();
  return kEarlierDoubt * spread / static_cast<double>(rewards.size() - 1);
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

BeliefModel::BeliefModel(const FeatureMap& map, const Assignment& baseline,
                         std::vector<Trial> earlier)
    : map_(map),
      baseline_(map.Encode(baseline)),
      earlier_(std::move(earlier)),
      reward_(map.groups()),
      foretold_(map.groups()),
      failure_(map.groups()) {
  if (!earlier_.empty()) earlier_doubt_ = DoubtOf(earlier_);
  Rebuild({});
  NoteTypicalNoise();
  if (earlier_.empty()) return;
  reward_.Fit(kFitEvaluations);
  foretold_ = reward_;
  if (failures_ > 0) failure_.Fit(kFitEvaluations);
}

void BeliefModel::Rebuild(const std::map<std::int64_t, Trial>& trials) {
  rewards_ = {0};
  std::vector<double> variances = {0};
  std::vector<double> labels = {0};
  std::vector<double> label_variances = {kLabelVariance};
  std::vector<Index> accepted = {0};
  MatrixXd points(baseline_.size(), static_cast<Index>(earlier_.size() + trials.size()) + 1);
  points.col(0) = baseline_;
  const auto add = [&](const Trial& trial, double label_variance, double doubt) {
    const auto place = static_cast<Index>(labels.size());
    points.col(place) = map_.Encode(trial.candidate.assignment);
    labels.push_back(IsFeasible(trial) ? 0 : -1);
    label_variances.push_back(label_variance);
    if (trial.outcome != Outcome::kAccepted) return;
    accepted.push_back(place);
    rewards_.push_back(trial.reward.mean);
    variances.push_back(VarianceOfTrial(trial) + doubt);
  };
  for (const Trial& trial : earlier_) add(trial, kEarlierLabelVariance, earlier_doubt_);
  const std::size_t before = accepted.size();
  for (const auto& [number, trial] : trials) add(trial, kLabelVariance, 0);
  known_ = trials.size();
  accepted_ = accepted.size() - before;
  failures_ = static_cast<std::size_t>(std::count(labels.begin(), labels.end(), -1.0));
  reward_.SetObservations({.points = points(Eigen::all, accepted),
                           .values = Squashed(ToVector(rewards_)),
                           .variances = ToVector(variances),
                           .doubt = DoubtAfterFirst(static_cast<Index>(accepted.size()))});
  const auto count = static_cast<Index>(labels.size());
  if (failures_ > 0) {
    failure_.SetObservations({.points = std::move(points),
                              .values = ToVector(labels),
                              .variances = ToVector(label_variances),
                              .doubt = DoubtAfterFirst(count)});
  }
}

void BeliefModel::Append(const Trial& trial) {
  const VectorXd point = map_.Encode(trial.candidate.assignment);
  ++known_;
  if (failures_ > 0) failure_.Append(point, IsFeasible(trial) ? 0 : -1, kLabelVariance);
  if (!IsFeasible(trial)) ++failures_;
  if (trial.outcome != Outcome::kAccepted) return;
  ++accepted_;
  rewards_.push_back(trial.reward.mean);
  reward_.Append(point, trial.reward.mean, VarianceOfTrial(trial));
  reward_.SetValues(Squashed(ToVector(rewards_)));
}

void BeliefModel::Learn(const std::map<std::int64_t, Trial>& trials, std::int64_t newest) {
  const Trial& trial = trials.at(newest);
  const bool is_first_failure = failures_ == 0 && !IsFeasible(trial);
  if (IsMisled(trials)) {
    earlier_.clear();
    Rebuild(trials);
  } else if (trials.size() == known_ + 1 && !is_first_failure) {
    Append(trial);
  } else {
    Rebuild(trials);
  }
  NoteTypicalNoise();
  FitIfDue();
}

bool BeliefModel::IsMisled(const std::map<std::int64_t, Trial>& trials) const {
  std::vector<double> rewards;
  std::vector<double> errors;
  for (const auto& [number, trial] : trials) {
    if (earlier_.empty() || trial.outcome != Outcome::kAccepted) continue;
    rewards.push_back(trial.reward.mean);
    const VectorXd point = map_.Encode(trial.candidate.assignment);
    errors.push_back(trial.reward.mean - foretold_.PredictMean(point)(0));
  }
  if (rewards.size() < kTelling) return false;
  const VectorXd seen = ToVector(rewards);
  return ToVector(errors).squaredNorm() > (seen.array() - seen.mean()).square().sum();
}

// Of this campaign's own trials, as soon as there are some.
void BeliefModel::NoteTypicalNoise() {
  if (accepted_ > 0) {
    typical_noise_ = MedianOf(reward_.observations().variances.tail(static_cast<Index>(accepted_)));
  } else if (reward_.size() > 1) {
    typical_noise_ =
        MedianOf(reward_.observations().variances.tail(reward_.size() - 1)) - earlier_doubt_;
  }
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
