// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hone/core/rng.h"
#include "hone/tune/watch/watch_steps.h"

namespace hone::tune {

// What a watch remembers of its steps, by their keys, and which one it tries next.
//
// Steps are tried in sweeps: each once, in random order; one that was adopted is tried again at
// once, further the same way, and not back. A sweep in which nothing was adopted ends the trying
// until something wakes it. A step that did harm is barred for some rounds, in all sweeps.
class StepMemory {
 public:
  // Of the steps that there are, the one to try in this round; none: there is nothing to be gained.
  std::optional<WatchStep> Next(const std::vector<WatchStep>& steps, std::int64_t round, Rng rng);

  void Adopted(const std::string& key);
  void Dropped(const std::string& key);
  void Harmed(const std::string& key, std::int64_t until);
  void Lost(const std::string& key);  // Nothing is known of it; after some times, as if dropped.

  // A new sweep: all that was tried may be tried again, but what is barred stays so.
  void Wake();

  // After a shift of the workload: what did harm then may not now, so half of the time is enough.
  void Forget(std::int64_t round);

 private:
  std::vector<WatchStep> Open(const std::vector<WatchStep>& steps, std::int64_t round) const;

  std::set<std::string> tried_;      // In this sweep.
  std::map<std::string, int> lost_;  // How often, in this sweep.
  bool has_adopted_ = false;         // In this sweep.
  std::optional<std::string> preferred_;
  std::map<std::string, std::int64_t> barred_until_;
};

}  // namespace hone::tune
