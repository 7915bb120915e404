// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/core/metric.h"
#include "hone/tune/proposers/model/gaussian_process.h"
#include "hone/tune/proposers/model/population.h"

namespace hone::tune {

// A process always has something to say of noise. So what is believed of a candidate is the mean of
// two beliefs, weighed by how likely each makes what was seen:
//
//   trust = p(values | process) / (p(values | process) + p(values | population)),
//
// that of the process, in which neighbours are alike, and that of a population, in which no
// candidate tells of another and each is drawn towards the mean of all.
class DoubtedBelief {
 public:
  // Of the observations the first is the baseline's. The process outlives this.
  explicit DoubtedBelief(const GaussianProcess& process);

  double trust() const { return trust_; }

  struct Doubted {
    Estimate reward;
    double careful = 0;  // Its mean with some caution: among many one looks better than it is.
  };
  Doubted Unseen(const Estimate& by_process) const;

  // `own` is what its own runs say.
  Doubted Seen(const Estimate& by_process, const Estimate& own) const;

 private:
  Doubted Mixed(const Estimate& by_process, const Estimate& alone, double careful_alone) const;

  Population population_;
  double trust_ = 1;
  double best_of_noise_ = 0;  // Standard errors: the best of noise exceeds these in half of the
  double beyond_noise_ = 0;   // cases, and those hardly ever.
};

}  // namespace hone::tune
