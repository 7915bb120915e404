// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "hone/core/candidate.h"
#include "hone/core/space.h"
#include "hone/learn/action_distribution.h"

namespace hone::learn {

// What fits the space: a Beta part for every number, a category for every choice.
ActionDistribution DistributionFor(const Space& space);

// Of an action that became this assignment: 1 for every part of an active parameter, 0 for the
// others, whose values had no effect; then 1 for every choice.
std::vector<double> MaskOf(const Space& space, const ActionDistribution& distribution,
                           const Assignment& assignment);

// What the policy sees: the parameters in force, the last reward and whether the last trial failed,
// and the deltas that its runs reported. The names of these are not known beforehand: each takes
// the next free place when it is first seen, until there is none left.
class TuningView {
 public:
  static constexpr std::size_t kDeltas = 16;

  TuningView(const Space& space, const Assignment& baseline);

  std::size_t size() const { return baseline_.size() + 2 + kDeltas; }

  void BeginEpisode();  // The baseline is in force again.

  // After a trial; `assignment` is null if it failed, `reward` is in units of the spread.
  void Note(const Assignment* assignment, double reward,
            const std::map<std::string, double>& deltas);

  const std::vector<double>& numbers() const { return numbers_; }

  // The deltas that have a place, in the order of their places, and the unit of each. A view that
  // is given them shows these deltas in the same places, whatever comes first.
  struct Delta {
    std::string name;
    double unit = 0;

    bool operator==(const Delta&) const = default;
  };
  std::vector<Delta> deltas() const;
  void Expect(const std::vector<Delta>& deltas);

 private:
  const Space& space_;
  std::vector<double> baseline_;
  std::vector<double> numbers_;
  std::map<std::string, std::size_t> places_;
  std::map<std::string, double> largest_;  // Of each delta, by size: its unit.
};

}  // namespace hone::learn
