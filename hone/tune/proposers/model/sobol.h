// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hone/core/rng.h"

namespace hone::tune {

// Points that fill the unit cube evenly: a Sobol sequence (direction numbers of Joe and Kuo, from
// Boost) under Owen's nested scrambling, done by hashing (Burley, "Practical Hash-based Owen
// Scrambling", JCGT 2020). Every stretch of 2^k points from the start is balanced; each scrambling
// is one draw from the stream, so two seeds give two independent sequences.
class ScrambledSobol {
 public:
  ScrambledSobol(std::size_t dimensions, Rng rng);
  ScrambledSobol(ScrambledSobol&&) noexcept;
  ScrambledSobol& operator=(ScrambledSobol&&) noexcept;
  ~ScrambledSobol();

  // The next point, each coordinate in (0, 1).
  std::vector<double> Next();

 private:
  struct Engine;

  std::unique_ptr<Engine> engine_;
  std::vector<std::uint32_t> seeds_;  // One scrambling a dimension.
  Rng beyond_;                        // For dimensions past Boost's table: plain uniform numbers.
  bool is_started_ = false;
};

}  // namespace hone::tune
