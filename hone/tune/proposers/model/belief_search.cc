// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/belief_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

namespace hone::tune {
namespace {

constexpr double kWork = 10e6;  // A prediction costs n²: so many points over n² keep an ask short.
constexpr double kFewest = 100;
constexpr double kMax = 600;
constexpr std::uint64_t kRounds = 5;
constexpr std::size_t kBestKept = 4;  // Centres of the next round.
constexpr double kFirstReach = 0.2;
constexpr double kCloseReach = 0.05;
constexpr double kReachShrinks = 0.6;

void SortByScore(std::vector<Scored>& found) {
  std::stable_sort(found.begin(), found.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
}

template <typename T>
void MoveTo(std::vector<T>& all, std::vector<T> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

BeliefSearch::BeliefSearch(const Space& space, const Assignment& baseline)
    : map_(space), pool_(space, baseline) {}

std::vector<Scored> BeliefSearch::Rank(const GaussianProcess& model, std::vector<Assignment> points,
                                       const Score& score) const {
  const Belief belief = model.Predict(map_.Encode(points));
  const Eigen::VectorXd scores = score(belief, points);
  std::vector<Scored> found;
  found.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    found.push_back({.assignment = std::move(points[i]),
                     .score = scores(k),
                     .mean = belief.mean(k),
                     .deviation = std::sqrt(belief.variance(k))});
  }
  SortByScore(found);
  return found;
}

std::vector<Scored> BeliefSearch::Run(const GaussianProcess& model, const Score& score,
                                      const std::vector<Assignment>& centres,
                                      const Rng& rng) const {
  const double n = static_cast<double>(model.size());
  const auto size = static_cast<std::size_t>(std::clamp(kWork / (n * n), kFewest, kMax));
  std::vector<Assignment> points = pool_.Everywhere(size / 4, rng.Split("everywhere"));
  MoveTo(points, pool_.Around(centres, size / 8, kFirstReach, rng.Split("near")));
  MoveTo(points, pool_.Around(centres, size / 8, kCloseReach, rng.Split("close")));
  std::vector<Scored> found = Rank(model, std::move(points), score);

  double reach = kFirstReach;
  for (std::uint64_t round = 0; round < kRounds; ++round, reach *= kReachShrinks) {
    std::vector<Assignment> best;
    for (std::size_t i = 0; i < std::min(kBestKept, found.size()); ++i) {
      best.push_back(found[i].assignment);
    }
    MoveTo(found, Rank(model, pool_.Around(best, size / 10, reach, rng.Split(round)), score));
    SortByScore(found);
  }
  return found;
}

}  // namespace hone::tune
