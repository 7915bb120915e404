// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/compute/backends/backend.h"
#include "hone/domains/compute/judge/correctness.h"
#include "hone/domains/compute/judge/quiet_periods.h"
#include "hone/domains/compute/judge/twins.h"

namespace hone::compute {

// What all sessions of one process share, each part bounded. Safe for concurrent use.
class SharedState {
 public:
  SharedState(std::filesystem::path cache, BackendTable table);

  // kNotFound lists what there is.
  Result<const BackendEntry*> EntryNamed(const std::string& name) const;

  // Made on first use.
  Result<Backend*> BackendNamed(const std::string& name);

  // An idle runner that was given back under this key, or null.
  std::unique_ptr<Runner> TakeRunner(const std::string& key);

  // Only runners of references of problems by name: nobody else's code outlives its evaluation. The
  // oldest are ended where they are too many or hold too much memory, this one among them; what
  // several share counts once.
  void GiveRunner(const std::string& key, std::unique_ptr<Runner> runner);

  SharedTrial FindTrial(const std::string& key);
  void KeepTrial(const std::string& key, SharedTrial trial);

  // The time of a reference in a quiet period (judge/quiet_periods.h); 0 if it is not known.
  double QuietNs(const std::string& key);
  void SeeQuiet(const std::string& key, const QuietPeriods& seen);

  // Of a reference's processes (judge/twins.h).
  int TwinsDue(const std::string& key, int max);
  void KeepTwins(const std::string& key, double log_ratio);
  double TwinReach(const std::string& key);

  // The best speedup over a reference that is known, at least 1.
  double Record(const std::string& key);
  void KeepRecord(const std::string& key, double speedup);

 private:
  struct HeldRunner {
    std::string key;
    std::unique_ptr<Runner> runner;
    HeldMemory memory;
  };
  struct HeldTrial {
    std::string key;
    SharedTrial trial;
    std::size_t bytes = 0;
  };

  std::size_t RunnerBytes() const;  // With mutex_ held.

  const std::filesystem::path cache_;
  const BackendTable table_;

  std::mutex backends_mutex_;  // Making one may take a while.
  std::map<std::string, std::unique_ptr<Backend>> backends_;

  std::mutex mutex_;               // Guards what follows.
  std::list<HeldRunner> runners_;  // The last used first.
  std::list<HeldTrial> trials_;    // The last used first.
  std::unordered_map<std::string, std::list<HeldTrial>::iterator> trials_by_key_;
  std::size_t trial_bytes_ = 0;
  std::unordered_map<std::string, QuietLevel> quiet_levels_;
  std::unordered_map<std::string, Twins> twins_;
  std::unordered_map<std::string, double> records_;
};

}  // namespace hone::compute
