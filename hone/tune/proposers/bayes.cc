// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/bayes.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hone/core/rng.h"
#include "hone/tune/proposers/model/acquisition.h"
#include "hone/tune/proposers/model/belief_model.h"
#include "hone/tune/proposers/model/belief_search.h"
#include "hone/tune/proposers/model/change_prices.h"
#include "hone/tune/proposers/model/doubted_belief.h"
#include "hone/tune/proposers/model/gaussian_process.h"
#include "hone/tune/proposers/model/led_belief.h"
#include "hone/tune/proposers/model/sobol.h"
#include "hone/tune/proposers/model/trade_off.h"
#include "hone/tune/proposers/model/trial_memory.h"
#include "hone/tune/proposers/trial_history.h"

namespace hone::tune {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kMaxDesignDraws = 64;      // For a candidate of the design that was not asked before.
constexpr std::int64_t kDesignBase = 6;  // Trials of the design: so many,
constexpr std::int64_t kDesignPerCoordinate = 2;  // and so many more; at most half of the plan.
constexpr std::size_t kUnplannedDesign = 16;      // Trials, if nobody says how many there will be.
constexpr std::size_t kCentres = 5;               // Of what was tried: where a search starts.
constexpr double kMinChance = 0.5;                // Of success, to recommend what was never tried.
constexpr double kMinChanceToAsk = 0.4;
constexpr double kRefused = -1e300;
constexpr double kStandsOut = 3;         // Standard errors from the baseline.
constexpr double kClearlyWorse = 2.5;    // Standard errors below it.
constexpr double kSameVariance = 1e-18;  // Of the difference between a candidate and itself.
constexpr int kFrontEvaluations = 10;
constexpr std::size_t kGainPoints = 48;
constexpr int kGainDraws = 128;

class Bayes final : public JudgingProposer {
 public:
  Bayes(const ProposerSettings& settings, const std::vector<Trial>& earlier)
      : space_(settings.space),
        baseline_(settings.baseline),
        wants_front_(settings.wants_front),
        rng_(Rng(settings.seed).Split("bayes")),
        search_(settings.space, settings.baseline.assignment),
        design_size_(DesignSize(settings)),
        design_(settings.space.UnitSize(), rng_.Split("design")),
        baseline_point_(search_.map().Encode(settings.baseline.assignment)),
        prices_(settings.space, settings.baseline.assignment, settings.prices, design_size_),
        model_(search_.map(), settings.baseline.assignment, earlier),
        front_model_(search_.map().groups()) {
    for (const Trial& trial : earlier) {
      if (IsFeasible(trial)) good_earlier_.push_back(trial.candidate.assignment);
    }
  }

  Result<Candidate> Ask() override {
    Suggestion suggestion = Suggest({});
    NoteAsked(suggestion.candidate);
    return std::move(suggestion.candidate);
  }

  Result<void> Tell(const Trial& trial) override {
    if (auto told = memory_.Tell(space_, trial); !told) return told;
    points_[trial.number] = search_.map().Encode(trial.candidate.assignment);
    model_.Learn(memory_.trials(), trial.number);
    FollowWishes();
    return {};
  }

  Result<std::vector<Recommendation>> Recommend(std::size_t max) override {
    return wants_front_ ? RecommendFront(max) : RecommendBest(max);
  }

  std::optional<double> ExpectedRemainingGain() override;

  Opinion Judge(const Candidate& candidate) const override;
  double TypicalNoise() const override { return std::sqrt(model_.TypicalNoise()); }
  Suggestion Suggest(const Preference& preference) override {
    if (IsDesigning()) return NextOfDesign();
    const Rng rng = rng_.Split("ask").Split(memory_.asks());
    return {.candidate = MostPromising(ModelToAsk(rng), preference, rng)};
  }
  void Lean(const WishedShape& wishes, double trust) override {
    wishes_.emplace(wishes);
    trust_ = trust;
    FollowWishes();
  }
  WishedShape NoWishes() const override { return {space_, search_.map(), baseline_.assignment}; }
  void NoteAsked(const Candidate& candidate) override {
    memory_.NoteAsked(candidate);
    prices_.NoteTried(candidate.assignment);
  }
  bool WasAsked(const Candidate& candidate) const override { return memory_.WasAsked(candidate); }
  double ChanceBetter(const Candidate& one, const Candidate& other) const override;

 private:
  // The process over rewards, led by what is wished for.
  const GaussianProcess& reward() const { return led_ ? *led_ : model_.reward(); }
  // What the last suggestion was to make more of.
  const GaussianProcess& looked_for() const {
    return wants_front_ && front_model_.size() > 0 ? front_model_ : reward();
  }
  void FollowWishes();
  static std::size_t DesignSize(const ProposerSettings& settings);
  bool IsDesigning() const {
    const std::size_t design_size = model_.HasEarlier() ? 0 : design_size_;
    return memory_.asks() < design_size || (!wants_front_ && IsFlat());
  }
  Candidate With(Assignment assignment) const;
  Rng RngOfState(std::string_view purpose) const;

  bool IsFlat() const;
  bool IsAllWorse() const;
  bool HasMovedAll() const;
  Suggestion NextOfDesign();
  GaussianProcess ModelToAsk(const Rng& rng);
  void ScalariseFront(const Rng& rng);
  Candidate MostPromising(const GaussianProcess& model, const Preference& preference,
                          const Rng& rng) const;
  Score PromiseUnder(const GaussianProcess& model, const Assignment& best) const;
  static Score Preferring(Score promise, const Preference& preference);
  double LogCost(const Assignment& assignment) const;
  std::vector<Assignment> BestTried(const GaussianProcess& model) const;

  std::vector<Scored> Believed() const;
  std::vector<Recommendation> RecommendBest(std::size_t max) const;
  std::vector<Recommendation> RecommendFront(std::size_t max) const;

  const Space& space_;
  const Candidate baseline_;
  const bool wants_front_;
  const Rng rng_;  // Never drawn from: each decision splits its own stream off.
  const BeliefSearch search_;
  const std::size_t design_size_;
  ScrambledSobol design_;
  const VectorXd baseline_point_;
  std::vector<Assignment> good_earlier_;  // Candidates that ran in other campaigns.
  ChangePrices prices_;
  TrialMemory memory_;
  std::map<std::int64_t, VectorXd> points_;  // Of each trial, by its number.
  BeliefModel model_;
  std::optional<WishedShape> wishes_;
  double trust_ = 0;  // In who wishes.
  std::optional<GaussianProcess> led_;
  GaussianProcess front_model_;  // Of the scalarised objectives; its lengths are kept warm.
};

// Enough to see every parameter move; the rest of the budget goes where the model points.
std::size_t Bayes::DesignSize(const ProposerSettings& settings) {
  const auto wanted = static_cast<std::size_t>(DesignTrials(settings.space));
  const auto planned = static_cast<std::size_t>(std::max<std::int64_t>(settings.planned_trials, 0));
  return std::min(wanted, planned > 0 ? (planned + 1) / 2 : kUnplannedDesign);
}

Candidate Bayes::With(Assignment assignment) const {
  Candidate candidate = baseline_;
  candidate.assignment = std::move(assignment);
  return candidate;
}

// For questions that change nothing: the same answer until something is told.
Rng Bayes::RngOfState(std::string_view purpose) const {
  return rng_.Split(purpose).Split(memory_.trials().size());
}

// Whether all rewards together could be noise around the baseline: with n of them the sum of their
// squared z-values lies below n + 2 sqrt(2n), and none stands out. A model of that has nothing to
// say but that the faces and corners of the space are least known; even filling finds more.
bool Bayes::IsFlat() const {
  double sum = 0;
  double count = 0;
  for (const auto& [number, trial] : memory_.trials()) {
    if (!IsFeasible(trial)) return false;
    if (!(trial.reward.standard_error > 0)) return false;
    const double z = trial.reward.mean / trial.reward.standard_error;
    if (std::abs(z) >= kStandsOut) return false;
    sum += z * z;
    ++count;
  }
  return count > 0 && sum < count + 2 * std::sqrt(2 * count);
}

// The centre of the space first, then points that fill what is believed to run evenly. Where
// changes have their price, the centre is dear and tells no more than another point.
Bayes::Suggestion Bayes::NextOfDesign() {
  const auto at = [this](std::vector<double> unit) {
    Assignment assignment = space_.FromUnit(unit);
    return Suggestion{.candidate = With(std::move(assignment)), .unit = std::move(unit)};
  };
  if (memory_.asks() == 0 && prices_.IsFree()) {
    Suggestion centre = at(std::vector<double>(space_.UnitSize(), 0.5));
    if (centre.candidate != baseline_) return centre;
  }
  Suggestion next;
  for (int tries = 0; tries < kMaxDesignDraws; ++tries) {
    next = at(prices_.Settled(design_.Next(), memory_.asks()));
    if (next.candidate == baseline_ || memory_.WasAsked(next.candidate)) continue;
    const VectorXd point = search_.map().Encode(next.candidate.assignment);
    if (model_.ChanceOfSuccess(point)(0) >= kMinChanceToAsk) break;
  }
  return next;
}

// What is pending counts as seen at its expected value, so that the next one differs from it.
GaussianProcess Bayes::ModelToAsk(const Rng& rng) {
  if (wants_front_) ScalariseFront(rng);
  GaussianProcess model = wants_front_ ? front_model_ : reward();
  for (const Candidate& pending : memory_.pending()) {
    const VectorXd point = search_.map().Encode(pending.assignment);
    model.Append(point, model.PredictMean(point)(0), model_.TypicalNoise());
  }
  return model;
}

void Bayes::ScalariseFront(const Rng& rng) {
  const std::vector<Trial> feasible = memory_.Feasible();
  const ObjectiveTable seen = TabulateObjectives(feasible);
  if (seen.means.rows() == 0) {
    front_model_ = reward();
    return;
  }
  std::vector<Assignment> points = {baseline_.assignment};
  for (const Trial& trial : feasible) points.push_back(trial.candidate.assignment);
  const VectorXd weights = RandomWeights(seen.means.rows(), rng.Split("weights"));
  const VectorXd slopes = ScalarisationSlopes(seen.means, weights);
  front_model_.SetObservations({.points = search_.map().Encode(points),
                                .values = Scalarised(seen.means, weights),
                                .variances = seen.variances.transpose() * slopes.cwiseAbs2(),
                                .doubt = VectorXd::Ones(seen.means.cols())});
  front_model_.Fit(kFrontEvaluations);
}

// The baseline and the feasible candidates, the best by posterior mean first.
std::vector<Assignment> Bayes::BestTried(const GaussianProcess& model) const {
  std::vector<const Assignment*> tried = {&baseline_.assignment};
  MatrixXd points(baseline_point_.size(), static_cast<Index>(memory_.trials().size()) + 1);
  points.col(0) = baseline_point_;
  for (const auto& [number, trial] : memory_.trials()) {
    if (!IsFeasible(trial)) continue;
    points.col(static_cast<Index>(tried.size())) = points_.at(number);
    tried.push_back(&trial.candidate.assignment);
  }
  const VectorXd means = model.PredictMean(points.leftCols(static_cast<Index>(tried.size())));
  std::vector<std::size_t> order(tried.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return means(static_cast<Index>(a)) > means(static_cast<Index>(b));
  });
  order.resize(std::min(order.size(), kCentres));
  std::vector<Assignment> best;
  best.reserve(order.size());
  for (const std::size_t i : order) best.push_back(*tried[i]);
  return best;
}

// The knowledge gradient between two points: by how much one more noisy look at x is expected to
// raise the better one of the posterior means of x and of the best (Frazier et al., 2009). The
// difference of the two means will move by a normal amount with the standard deviation
// cov(f(x) - f(best), y(x)) / sd(y(x)). It is divided by what the look costs.
Score Bayes::PromiseUnder(const GaussianProcess& model, const Assignment& best) const {
  const Belief incumbent = model.Predict(search_.map().Encode(best));
  const double noise = model_.TypicalNoise() + model.NuggetVariance();
  return [this, &model, incumbent, noise](const Belief& belief,
                                          std::span<const Assignment> points) {
    const VectorXd shared = model.Covariance(incumbent, belief).transpose();
    const VectorXd chance = model_.ChanceOfSuccess(belief.points);
    VectorXd scores(belief.mean.size());
    for (Index i = 0; i < scores.size(); ++i) {
      const double moves = (belief.variance(i) - shared(i)) / std::sqrt(belief.variance(i) + noise);
      scores(i) = chance(i) < kMinChanceToAsk
                      ? kRefused * (1 - chance(i))
                      : LogExpectedImprovement(belief.mean(i) - incumbent.mean(0), moves) +
                            std::log(chance(i)) - LogCost(points[static_cast<std::size_t>(i)]);
    }
    return scores;
  };
}

Score Bayes::Preferring(Score promise, const Preference& preference) {
  if (!preference) return promise;
  return [promise = std::move(promise), &preference](const Belief& belief,
                                                     std::span<const Assignment> points) {
    VectorXd scores = promise(belief, points);
    for (Index i = 0; i < scores.size(); ++i) {
      scores(i) += preference(points[static_cast<std::size_t>(i)]);
    }
    return scores;
  };
}

double Bayes::LogCost(const Assignment& assignment) const {
  return prices_.IsFree() ? 0 : std::log1p(prices_.Of(assignment));
}

Candidate Bayes::MostPromising(const GaussianProcess& model, const Preference& preference,
                               const Rng& rng) const {
  std::vector<Assignment> centres = BestTried(model);
  const Score promise = Preferring(PromiseUnder(model, centres.front()), preference);
  if (model_.HasEarlier() && !good_earlier_.empty()) {
    const std::vector<Scored> ranked = search_.Rank(model, good_earlier_, promise);
    for (std::size_t i = 0; i < std::min(ranked.size(), kCentres); ++i) {
      centres.push_back(ranked[i].assignment);
    }
  }
  const std::vector<Scored> found = search_.Run(model, promise, centres, rng.Split("search"));
  std::optional<Candidate> repeated;
  for (const Scored& scored : found) {
    Candidate candidate = With(scored.assignment);
    if (candidate != baseline_ && !memory_.WasAsked(candidate)) return candidate;
    if (!repeated && !memory_.IsPending(candidate)) repeated = std::move(candidate);
  }
  return repeated.value_or(With(found.front().assignment));
}

Opinion Bayes::Judge(const Candidate& candidate) const {
  const GaussianProcess& model = looked_for();
  const Score promise = PromiseUnder(model, BestTried(model).front());
  const Scored scored = search_.Rank(model, {candidate.assignment}, promise).front();
  return {.mean = scored.mean,
          .deviation = scored.deviation,
          .chance = model_.ChanceOfSuccess(search_.map().Encode(candidate.assignment))(0),
          .log_promise = scored.score,
          .cost = prices_.IsFree() ? 0 : prices_.Of(candidate.assignment)};
}

void Bayes::FollowWishes() {
  led_.reset();
  if (!wishes_ || wishes_->IsFlat() || trust_ <= 0) return;
  led_ = LedBy(*wishes_, trust_, model_.reward(), TypicalNoise());
}

// By the plain process: what is wished for must not speak for itself.
double Bayes::ChanceBetter(const Candidate& one, const Candidate& other) const {
  const GaussianProcess& model = model_.reward();
  const Belief belief =
      model.Predict(search_.map().Encode(std::vector{one.assignment, other.assignment}));
  const double variance = belief.variance.sum() - 2 * model.Covariance(belief, belief)(0, 1);
  const double z = (belief.mean(0) - belief.mean(1)) / std::sqrt(std::max(variance, kSameVariance));
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

// Whether everything that ran is clearly worse than the baseline: what a model makes of that beyond
// its trials is a guess.
bool Bayes::IsAllWorse() const {
  const std::vector<Trial> ran = memory_.Feasible();
  return std::all_of(ran.begin(), ran.end(), [](const Trial& trial) {
    return trial.reward.mean + kClearlyWorse * trial.reward.standard_error < 0;
  });
}

// What might be recommended, tried or not, best first: by belief with some caution. Nothing that is
// not above 0 so.
std::vector<Scored> Bayes::Believed() const {
  std::vector<Assignment> tried;
  std::map<std::string, Estimate> rewards;
  for (const Trial& trial : memory_.Feasible()) {
    tried.push_back(trial.candidate.assignment);
    rewards[ToText(trial.candidate.assignment)] = trial.reward;
  }
  if (tried.empty() || IsAllWorse()) return {};
  const DoubtedBelief doubted(reward());
  const auto believe = [&](const Assignment& at, const Estimate& by_process) {
    const auto own = rewards.find(ToText(at));
    return own == rewards.end() ? doubted.Unseen(by_process)
                                : doubted.Seen(by_process, own->second);
  };
  const Score careful = [&](const Belief& belief, std::span<const Assignment> points) -> VectorXd {
    VectorXd scores(belief.mean.size());
    for (Index i = 0; i < scores.size(); ++i) {
      scores(i) =
          believe(
              points[static_cast<std::size_t>(i)],
              {.mean = belief.mean(i), .standard_error = std::sqrt(belief.variance(i)), .count = 0})
              .careful;
    }
    return scores;
  };
  const Score careful_and_safe = [&](const Belief& belief,
                                     std::span<const Assignment> points) -> VectorXd {
    return (model_.ChanceOfSuccess(belief.points).array() >= kMinChance)
        .select(careful(belief, points), kRefused);
  };
  std::vector<Scored> found = search_.Rank(reward(), std::move(tried), careful);
  for (Scored& scored :
       search_.Run(reward(), careful_and_safe, BestTried(reward()), RngOfState("recommend"))) {
    if (!memory_.WasAsked(With(scored.assignment))) found.push_back(std::move(scored));
  }
  std::erase_if(found, [](const Scored& scored) { return scored.score <= 0; });
  for (Scored& scored : found) {
    const Estimate reward =
        believe(scored.assignment,
                {.mean = scored.mean, .standard_error = scored.deviation, .count = 0})
            .reward;
    scored.mean = reward.mean;
    scored.deviation = reward.standard_error;
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
  return found;
}

std::vector<Recommendation> Bayes::RecommendBest(std::size_t max) const {
  std::map<std::string, std::int64_t> counts;
  for (const Trial& trial : memory_.Feasible()) {
    counts[ToText(trial.candidate.assignment)] = trial.reward.count;
  }
  std::vector<Recommendation> best;
  std::set<std::string> taken;
  for (const Scored& scored : Believed()) {
    const std::string text = ToText(scored.assignment);
    if (best.size() >= max) break;
    if (scored.assignment == baseline_.assignment || !taken.insert(text).second) continue;
    best.push_back({.candidate = With(scored.assignment),
                    .reward = {.mean = scored.mean,
                               .standard_error = scored.deviation,
                               .count = counts.contains(text) ? counts[text] : 0}});
  }
  return best;
}

// The feasible candidates to which none is superior in every objective, the baseline included, by
// what one process for each objective believes.
std::vector<Recommendation> Bayes::RecommendFront(std::size_t max) const {
  const std::vector<Trial> feasible = memory_.Feasible();
  const ObjectiveTable seen = TabulateObjectives(feasible);
  if (seen.means.rows() == 0) return RecommendBest(max);
  std::vector<Assignment> points = {baseline_.assignment};
  for (const Trial& trial : feasible) points.push_back(trial.candidate.assignment);
  const MatrixXd features = search_.map().Encode(points);
  MatrixXd believed(seen.means.rows(), seen.means.cols());
  for (Index k = 0; k < believed.rows(); ++k) {
    GaussianProcess model(search_.map().groups());
    model.SetObservations({.points = features,
                           .values = Squashed(seen.means.row(k)),
                           .variances = seen.variances.row(k),
                           .doubt = VectorXd::Ones(seen.means.cols())});
    model.Fit(2 * kFrontEvaluations);
    believed.row(k) = model.PredictMean(features);
  }
  believed.col(0).setZero();
  const Belief rewards = reward().Predict(features);
  std::vector<Recommendation> front;
  for (const std::size_t i : NonDominated(believed)) {
    if (i == 0) continue;
    const auto k = static_cast<Index>(i);
    front.push_back({.candidate = feasible[i - 1].candidate,
                     .reward = {.mean = rewards.mean(k),
                                .standard_error = std::sqrt(rewards.variance(k)),
                                .count = feasible[i - 1].reward.count}});
  }
  std::stable_sort(front.begin(), front.end(),
                   [](const auto& a, const auto& b) { return a.reward.mean > b.reward.mean; });
  front.resize(std::min(front.size(), max));
  return front;
}

// Whether every parameter was seen at another value than the baseline's: of the others a model
// whose scale was learnt without them expects little.
bool Bayes::HasMovedAll() const {
  for (const Parameter& parameter : space_.parameters()) {
    const auto before = baseline_.assignment.find(parameter.name);
    const auto& trials = memory_.trials();
    const bool has_moved = std::any_of(trials.begin(), trials.end(), [&](const auto& entry) {
      const Assignment& at = entry.second.candidate.assignment;
      const auto now = at.find(parameter.name);
      return now != at.end() &&
             (before == baseline_.assignment.end() || now->second != before->second);
    });
    if (!has_moved) return false;
  }
  return true;
}

// E[max f] over the most promising points, drawn together from the posterior, less the mean of
// what would be recommended now.
std::optional<double> Bayes::ExpectedRemainingGain() {
  if (!prices_.IsFree() && !HasMovedAll()) return std::nullopt;
  const GaussianProcess& model = reward();
  const std::vector<Assignment> tried = BestTried(model);
  std::vector<Scored> found =
      search_.Run(model, PromiseUnder(model, tried.front()), tried, RngOfState("gain candidates"));
  const std::vector<Recommendation> best = RecommendBest(1);
  std::vector<Assignment> points = {best.empty() ? baseline_.assignment
                                                 : best.front().candidate.assignment};
  for (Scored& scored : found) {
    if (points.size() < kGainPoints) points.push_back(std::move(scored.assignment));
  }
  const Belief belief = model.Predict(search_.map().Encode(points));
  MatrixXd covariance = model.Covariance(belief, belief);
  covariance.diagonal().array() += 1e-6 * covariance.diagonal().maxCoeff() + 1e-12;
  const Eigen::LLT<MatrixXd> cholesky(covariance);
  if (cholesky.info() != Eigen::Success) return std::nullopt;
  Rng rng = RngOfState("gain draws");
  double sum = 0;
  for (int draw = 0; draw < kGainDraws; ++draw) {
    VectorXd normal(belief.mean.size());
    for (double& z : normal) z = rng.Normal();
    const VectorXd values = belief.mean + cholesky.matrixL() * normal;
    sum += values.maxCoeff() - values(0);
  }
  return sum / kGainDraws;
}

}  // namespace

Result<std::unique_ptr<JudgingProposer>> MakeJudgingBayes(const ProposerSettings& settings) {
  if (settings.space.UnitSize() == 0) {
    return Error{Errc::kInvalidArgument, "proposer bayes: the space has no parameters"};
  }
  std::vector<Trial> earlier;
  for (const auto& [name, text] : settings.options) {
    if (name != "history") {
      return Error{Errc::kInvalidArgument,
                   "proposer bayes: unknown option " + name + "; there is history"};
    }
    auto read = ReadHistory(text, settings.space);
    if (!read) return Error{read.error().code, "proposer bayes: " + read.error().message};
    earlier = std::move(*read);
  }
  return std::make_unique<Bayes>(settings, earlier);
}

Result<std::unique_ptr<Proposer>> MakeBayes(const ProposerSettings& settings) {
  auto bayes = MakeJudgingBayes(settings);
  if (!bayes) return bayes.error();
  return std::unique_ptr<Proposer>(std::move(*bayes));
}

std::int64_t DesignTrials(const Space& space) {
  return kDesignBase + kDesignPerCoordinate * static_cast<std::int64_t>(space.UnitSize());
}

ProposerEntry BayesEntry() {
  return {.name = "bayes",
          .summary = "Gaussian process that knows each reward's error; up to some hundred trials",
          .make = MakeBayes};
}

}  // namespace hone::tune
