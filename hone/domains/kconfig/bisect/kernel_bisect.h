// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/kconfig/kernel_lab.h"

namespace hone::kernels {

struct BisectRequest {
  // Bases (OptionsRequest::base): "small,PREEMPT=y".
  std::string good;
  std::string bad;
  // Empty: bad is what does not build, does not boot or cannot run the workloads. Else: whose
  // metric is worse than that of the good one by more than this share.
  std::string metric = {};
  double worse_than = 0;
  std::stop_token stop = {};
};

// What became of one try.
struct BisectStep {
  std::size_t number = 0;   // From 1; 0 for the two ends.
  std::size_t changes = 0;  // How many were made, consequences too.
  std::string what;         // "boots", "does not build: …", "skipped: …"
};

struct BisectAnswer {
  std::string fault;                              // What is bad: "does not boot: panic: …"
  std::vector<Evidence> evidence;                 // Of that.
  std::vector<std::vector<std::string>> options;  // "SMP: n -> y"; one group a culprit.
  std::vector<std::string> consequences;          // What comes with them.
  bool is_minimal = true;                         // Culprits has what that means.
  std::size_t changes = 0;                        // In which the two differ.
  std::size_t steps = 0;
  std::vector<std::string> skipped;  // What could not be tried, and why.
};

// What is told on the way.
struct BisectListener {
  std::function<void(std::size_t changes, std::size_t max_steps_for_one)> on_start;
  std::function<void(const BisectStep& step)> on_step;
};

// Finds the changes that break it. kInvalidArgument: the good one is bad, the bad one is good, or
// they do not differ. No configuration is built or booted twice.
Result<BisectAnswer> BisectKernels(KernelLab& lab, const BisectRequest& request,
                                   const BisectListener& listener);

}  // namespace hone::kernels
