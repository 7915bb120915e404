// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/bayes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hone/core/rng.h"
#include "hone/tune/acquisition.h"
#include "hone/tune/candidate_pool.h"
#include "hone/tune/feature_map.h"
#include "hone/tune/gaussian_process.h"
#include "hone/tune/sobol.h"
#include "hone/tune/trial_memory.h"

namespace hone {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double Knob(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atof(text);
}

GaussianProcessPrior Prior() {
  GaussianProcessPrior prior;
  prior.length_centre = Knob("LC", prior.length_centre);
  prior.length_spread = Knob("LS", prior.length_spread);
  prior.signal_centre = Knob("SC", prior.signal_centre);
  prior.signal_spread = Knob("SS", prior.signal_spread);
  prior.nugget_centre = Knob("NC", prior.nugget_centre);
  prior.nugget_spread = Knob("NS", prior.nugget_spread);
  return prior;
}

struct Scored {
  Assignment assignment;
  double score = 0;
  double mean = 0;
  double variance = 0;
};

class Bayes final : public Proposer {
 public:
  explicit Bayes(const ProposerSettings& settings)
      : space_(settings.space),
        baseline_(settings.baseline),
        rng_(Rng(settings.seed).Split("bayes")),
        map_(settings.space),
        pool_(settings.space, settings.baseline.assignment),
        sobol_(settings.space.UnitSize(), rng_.Split("design")),
        model_(map_.groups(), Prior()),
        feasibility_(map_.groups(), Prior()) {
    const double d = static_cast<double>(map_.groups().size());
    const double planned =
        settings.planned_trials > 0 ? static_cast<double>(settings.planned_trials) : 60;
    design_ = static_cast<std::size_t>(
        std::min(Knob("INITA", 3) + Knob("INITD", 0.5) * d, Knob("INITP", 0.25) * planned));
    Rebuild();
  }

  Result<Candidate> Ask() override {
    Candidate candidate = baseline_;
    if (memory_.asks() < design_) {
      candidate.assignment = NextOfDesign();
    } else {
      candidate.assignment = MostPromising();
    }
    memory_.NoteAsked(candidate);
    return candidate;
  }

  Result<void> Tell(const Trial& trial) override {
    if (auto told = memory_.Tell(space_, trial); !told) return told;
    Rebuild();
    const auto n = model_.size();
    model_.Fit(static_cast<int>(Knob("EVALS", 30)));
    (void)n;
    return {};
  }

  Result<std::vector<Recommendation>> Recommend(std::size_t most) override {
    std::vector<Assignment> points;
    for (const Trial& trial : memory_.Feasible()) points.push_back(trial.candidate.assignment);
    std::vector<Recommendation> best;
    if (points.empty()) return best;
    const double caution = Knob("CAUTION", 0);
    const Score by_mean = [&](const Belief& belief) -> VectorXd {
      return belief.mean - caution * belief.variance.cwiseSqrt();
    };
    std::vector<Scored> found = ScoreAll(model_, points, by_mean);
    if (Knob("UNSEEN", 1) > 0) {
      const auto more = Search(model_, by_mean, rng_.Split("recommend").Split(memory_.asks()));
      found.insert(found.end(), more.begin(), more.end());
      SortByScore(found);
    }
    std::set<std::string> seen;
    for (const Scored& scored : found) {
      if (scored.mean <= 0 || best.size() >= most) break;
      if (!seen.insert(ToText(scored.assignment)).second) continue;
      Candidate candidate = baseline_;
      candidate.assignment = scored.assignment;
      best.push_back(
          {.candidate = candidate,
           .reward = {
               .mean = scored.mean, .standard_error = std::sqrt(scored.variance), .count = 0}});
    }
    return best;
  }

  std::optional<double> ExpectedRemainingGain() override { return std::nullopt; }

 private:
  using Score = std::function<VectorXd(const Belief&)>;

  Assignment NextOfDesign() {
    Assignment assignment;
    for (int tries = 0; tries < 64; ++tries) {
      assignment = space_.FromUnit(sobol_.Next());
      Candidate candidate = baseline_;
      candidate.assignment = assignment;
      if (!memory_.WasAsked(candidate)) break;
    }
    return assignment;
  }

  void Rebuild() {
    std::vector<Assignment> points{baseline_.assignment};
    std::vector<double> values{0};
    std::vector<double> variances{0};
    for (const auto& [number, trial] : memory_.trials()) {
      if (trial.outcome != Outcome::kAccepted) continue;
      points.push_back(trial.candidate.assignment);
      values.push_back(trial.reward.mean);
      variances.push_back(trial.reward.standard_error * trial.reward.standard_error);
    }
    if (Knob("SQUASH", 0) > 0) {
      auto sorted = values;
      std::sort(sorted.begin(), sorted.end());
      const double median = sorted[sorted.size() / 2];
      const double top = sorted.back();
      const double unit = std::max(Knob("SQUASH", 0) * (top - median), 1e-9);
      const double floor = median - unit;
      for (double& v : values) {
        if (v < floor) v = floor - unit * std::log1p((floor - v) / unit);
      }
    }
    const auto n = static_cast<Index>(values.size());
    model_.SetObservations({.points = map_.Encode(points),
                            .values = Eigen::Map<VectorXd>(values.data(), n),
                            .variances = Eigen::Map<VectorXd>(variances.data(), n)});
    variances.erase(variances.begin());
    std::sort(variances.begin(), variances.end());
    noise_ = variances.empty() ? 0 : variances[variances.size() / 2];
  }

  static void SortByScore(std::vector<Scored>& found) {
    std::stable_sort(found.begin(), found.end(),
                     [](const Scored& a, const Scored& b) { return a.score > b.score; });
  }

  std::vector<Scored> ScoreAll(const GaussianProcess& model, const std::vector<Assignment>& points,
                               const Score& score) const {
    const Belief belief = model.Predict(map_.Encode(points));
    const VectorXd scores = score(belief);
    std::vector<Scored> found;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto k = static_cast<Index>(i);
      found.push_back({.assignment = points[i],
                       .score = scores(k),
                       .mean = belief.mean(k),
                       .variance = belief.variance(k)});
    }
    SortByScore(found);
    return found;
  }

  std::vector<Assignment> TopByMean(std::size_t most) const {
    std::vector<Assignment> points{baseline_.assignment};
    for (const Trial& trial : memory_.Feasible()) points.push_back(trial.candidate.assignment);
    const auto found = ScoreAll(model_, points, [](const Belief& b) -> VectorXd { return b.mean; });
    std::vector<Assignment> top;
    std::set<std::string> seen;
    for (const Scored& scored : found) {
      if (top.size() >= most) break;
      if (seen.insert(ToText(scored.assignment)).second) top.push_back(scored.assignment);
    }
    return top;
  }

  std::vector<Scored> Search(const GaussianProcess& model, const Score& score, Rng rng) const {
    std::vector<Assignment> pool = pool_.Everywhere(200, rng.Split("everywhere"));
    const auto top = TopByMean(5);
    auto near = pool_.Around(top, 200, 0.2, rng.Split("near"));
    pool.insert(pool.end(), near.begin(), near.end());
    near = pool_.Around(top, 100, 0.05, rng.Split("close"));
    pool.insert(pool.end(), near.begin(), near.end());
    std::vector<Scored> found = ScoreAll(model, pool, score);
    double reach = 0.2;
    for (std::uint64_t round = 0; round < 5; ++round) {
      std::vector<Assignment> centres;
      for (std::size_t i = 0; i < std::min<std::size_t>(4, found.size()); ++i) {
        centres.push_back(found[i].assignment);
      }
      const auto more = ScoreAll(model, pool_.Around(centres, 80, reach, rng.Split(round)), score);
      found.insert(found.end(), more.begin(), more.end());
      SortByScore(found);
      reach *= 0.6;
    }
    return found;
  }

  Assignment MostPromising() {
    GaussianProcess model = model_;
    for (const Candidate& pending : memory_.pending()) {
      const VectorXd point = map_.Encode(pending.assignment);
      model.Append(point, model.Predict(point).mean(0), noise_);
    }
    const int kind = static_cast<int>(Knob("ACQ", 0));
    const Belief top = model.Predict(map_.Encode(TopByMean(kind == 2 ? 16 : 1)));
    const double best = top.mean.maxCoeff();
    const double noise = noise_ + model.NuggetVariance();
    const Score score = [&](const Belief& belief) -> VectorXd {
      VectorXd scores(belief.mean.size());
      if (kind == 0) {
        for (Index i = 0; i < scores.size(); ++i) {
          scores(i) = LogExpectedImprovement(belief.mean(i) - best, std::sqrt(belief.variance(i)));
        }
        return scores;
      }
      if (kind == 3) {
        const double beta = Knob("BETA", 1.5);
        return belief.mean + beta * belief.variance.cwiseSqrt();
      }
      const MatrixXd shared = model.Covariance(top, belief);
      for (Index i = 0; i < scores.size(); ++i) {
        const double spread = std::sqrt(belief.variance(i) + noise);
        if (kind == 1) {
          scores(i) = LogExpectedImprovement(belief.mean(i) - best,
                                             (belief.variance(i) - shared(0, i)) / spread);
        } else {
          VectorXd levels(top.mean.size() + 1);
          VectorXd slopes(top.mean.size() + 1);
          levels << top.mean, belief.mean(i);
          slopes << shared.col(i) / spread, belief.variance(i) / spread;
          scores(i) = ExpectedMaximum(levels, slopes) - best;
        }
      }
      return scores;
    };
    const auto found = Search(model, score, rng_.Split("ask").Split(memory_.asks()));
    for (const Scored& scored : found) {
      Candidate candidate = baseline_;
      candidate.assignment = scored.assignment;
      if (candidate == baseline_) continue;
      const auto& pending = memory_.pending();
      if (std::find(pending.begin(), pending.end(), candidate) != pending.end()) continue;
      if (Knob("REPEAT", 0) == 0 && memory_.WasAsked(candidate)) continue;
      return scored.assignment;
    }
    return found.front().assignment;
  }

  const Space& space_;
  Candidate baseline_;
  Rng rng_;
  FeatureMap map_;
  CandidatePool pool_;
  ScrambledSobol sobol_;
  TrialMemory memory_;
  GaussianProcess model_;
  GaussianProcess feasibility_;
  std::size_t design_ = 0;
  double noise_ = 0;
};

}  // namespace

Result<std::unique_ptr<Proposer>> MakeBayes(const ProposerSettings& settings) {
  return std::make_unique<Bayes>(settings);
}

ProposerEntry BayesEntry() {
  return {.name = "bayes",
          .summary = "Gaussian process that knows the noise; for campaigns of up to some hundreds",
          .make = MakeBayes};
}

}  // namespace hone
