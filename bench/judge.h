// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/base/temp_dir.h"
#include "hone/core/evaluation.h"
#include "hone/domains/domain.h"
#include "hone/measure/statistics.h"

// What the benchmarks of the judge share.
namespace hone {

struct Judgement {
  Outcome outcome = Outcome::kAccepted;
  std::string reason;
  double time_ms = 0;
  Interval time_interval;  // Of the same, ms.
  double speedup = 0;
  Interval interval;  // Of the speedup.
  double whole_ms = 0;
  std::map<std::string, double> phases_ms;  // Of its run, with its build before it.
  std::int64_t disturbed = 0;
  bool is_unstable = false;

  bool Covers(double value) const { return interval.low <= value && value <= interval.high; }
};

// Ends the program: "NAME: falls short: WHY".
[[noreturn]] void GiveUp(const std::string& name, const std::string& why);

// A problem of the compute domain, by its name or by its whole text, and who judges kernels for it.
class Judge {
 public:
  // `cache` holds what was built before.
  Judge(const std::filesystem::path& cache, const Options& options);

  Judgement Once(const std::string& source, std::uint64_t seed);

 private:
  DomainEntry entry_;
  std::unique_ptr<Domain> domain_;
};

// Processes that do nothing but use a processor, as long as it lives.
class BusyLoops {
 public:
  explicit BusyLoops(int count);
  BusyLoops(const BusyLoops&) = delete;
  BusyLoops& operator=(const BusyLoops&) = delete;
  ~BusyLoops();

 private:
  std::vector<int> pids_;
};

}  // namespace hone
