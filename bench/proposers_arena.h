// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "hone/core/rng.h"
#include "hone/core/space.h"
#include "hone/domains/toy/toy_surface.h"

// What every proposer of bench/proposers is tried on, ours and a peer's. Its files are part of the
// digest under which results are kept: what is measured is decided here and nowhere else.
namespace hone {

inline constexpr double kArenaGain = 0.20;   // Of the optimum over the baseline.
inline constexpr double kArenaNoise = 0.05;  // Standard deviation of one log-ratio, unless named.

// One surface under one seed. The k-th evaluation has the same noise whoever asks for it.
class Arena {
 public:
  struct Reply {
    double reward = 0;  // One noisy log-ratio over the baseline.
    bool is_failed = false;
  };

  // "smooth", or with a noise of its own: "hartmann@0.15".
  Arena(const std::string& surface, std::uint64_t seed);

  const Space& space() const { return surface_.space(); }
  Reply Evaluate(const Assignment& assignment);
  double noise() const { return level_; }
  double Judge(const Assignment& assignment) const;  // 1 at the true optimum, 0 at the baseline.

 private:
  toy::Surface surface_;
  double level_;
  Rng noise_;
  std::uint64_t count_ = 0;
};

// Answers a peer on standard input and output, one JSON document a line:
//   {"start": {"surface": S, "seed": K}}   -> {"parameters": [...]}
//   {"evaluate": {name: value, ...}}       -> {"reward": r}
//   {"judge": {name: value, ...}}          -> {"score": s}
// Values that break a constraint and tuples out of order are repaired in the way of Space, as
// those of our proposers are.
void ServeArena();

}  // namespace hone
