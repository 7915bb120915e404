// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hone/core/space.h"
#include "hone/core/value.h"

namespace hone::tune {

// What candidates cost beyond their runs, where another value of a parameter is dear: a kernel must
// be built for it. What was tried is there, so a candidate costs its dearest change from the
// nearest of them.
class ChangePrices {
 public:
  // Prices in trials, by parameter; a design of so many points. The space outlives the prices.
  ChangePrices(const Space& space, const Assignment& baseline,
               const std::map<std::string, double>& prices, std::size_t design_size);

  bool IsFree() const { return priced_.empty(); }

  double Of(const Assignment& assignment) const;  // In trials.
  void NoteTried(const Assignment& assignment);

  // For a design that fills the space. What is dear stays with the baseline, but for two points now
  // and then, in which one such parameter has another value: what a few looks at each of them alone
  // say is worth more than as many at several that moved together. The cheapest comes first, and
  // none before half of what all of them until then cost was spent on points without; where the
  // design would end before the last one, a smaller part of it, but a tenth at least. `asked`
  // counts the points before.
  std::vector<double> Settled(std::vector<double> unit, std::size_t asked) const;

 private:
  struct Priced {
    std::string name;
    double price = 0;
  };
  using Values = std::vector<std::string>;  // Of the priced parameters, as text.

  Values ValuesOf(const Assignment& assignment) const;
  double Between(const Values& one, const Values& other) const;

  // A dear parameter: from which point on it moves, and its coordinates.
  struct Plot {
    double price = 0;
    std::size_t begin = 0;
    std::size_t first = 0;
    std::size_t count = 0;
  };
  void ArrangePlots(std::size_t design_size);

  std::vector<Priced> priced_;
  std::set<Values> tried_;
  std::vector<double> baseline_;  // Where each coordinate is held.
  std::vector<Plot> plots_;
  std::size_t round_ = 1;  // So many points, then it begins again.
};

}  // namespace hone::tune
