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
  // Prices in trials, by parameter. The space outlives the prices.
  ChangePrices(const Space& space, const Assignment& baseline,
               const std::map<std::string, double>& prices);

  bool IsFree() const { return priced_.empty(); }

  double Of(const Assignment& assignment) const;  // In trials.
  void NoteTried(const Assignment& assignment);

  // For a design that fills the space. What is hard to change is held for some points: a parameter
  // that costs p trials moves once in about p of them, the baseline's value first (a split-plot
  // design: Box and Jones, "Split-plot designs for robust product experimentation", 1992). `asked`
  // counts the points before.
  std::vector<double> Settled(std::vector<double> unit, std::size_t asked);

 private:
  struct Priced {
    std::string name;
    double price = 0;
  };
  using Values = std::vector<std::string>;  // Of the priced parameters, as text.

  Values ValuesOf(const Assignment& assignment) const;
  double Between(const Values& one, const Values& other) const;

  std::vector<Priced> priced_;
  std::set<Values> tried_;
  std::vector<std::size_t> period_;  // Of each coordinate: in how many points it moves once.
  std::vector<double> held_;         // Where each coordinate is held.
};

}  // namespace hone::tune
