// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/domains/kconfig/kernel_lab.h"
#include "hone/measure/paired.h"

namespace hone::kernels {

struct CompareOrder {
  std::string a;  // Bases (OptionsRequest::base).
  std::string b;
  std::uint64_t pairs = 12;  // Boots of each, a seed a pair.
  std::stop_token stop = {};
};

// One of the two that is no kernel that runs what is measured.
struct KernelFault {
  bool is_of_a = false;
  std::string what;  // "does not build: kernel/fork.c:7: error: …"
  std::vector<Evidence> evidence = {};
};

// What came of B in place of A, in the words of `hone compare`.
enum class ComparisonAnswer : std::uint8_t {
  kBetter,  // By the index: its interval lies above 0.
  kWorse,
  kEqual,              // Every pair gave the same index.
  kNoDifferenceShown,  // The interval has 0 in it.
  kFailed,             // B does not build, boot, or run what is measured.
  kNotEnough,          // Stopped before all pairs were made.
  kDoesNotRun,         // Nor does A.
};
std::string_view NameOf(ComparisonAnswer answer);  // "better", "no_difference_shown"

struct KernelComparison {
  std::optional<KernelFault> fault = std::nullopt;
  std::map<std::string, std::vector<double>> log_ratios = {};  // Of B to A, by metric.
  std::set<std::string> missing = {};  // Metrics that one of them did not have in some pair.
  bool is_cut_short = false;

  ComparisonAnswer Answer() const;
};

// Builds both, and boots them in pairs. What a kernel does wrong is a fault; an Error means that
// the machine failed or that a configuration cannot be. Stopped, it gives the pairs so far.
Result<KernelComparison> CompareKernels(KernelLab& lab, const CompareOrder& order);

}  // namespace hone::kernels
