// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/domains/domain.h"
#include "hone/domains/toy/toy_noise.h"

namespace hone::toy {

// What goes wrong on demand, for testing what stands around a domain.
enum class Fault {
  kNone,
  kCrash,
  kHang,     // Runs until the limit.
  kGarbage,  // Reports a throughput that is not a number.
  kMissing,  // Reports no throughput.
  kBuild,    // Fails while it is prepared.
};

enum class FaultPlace {
  kCandidates,  // A share of all candidates, in every run.
  kRegion,      // The end of the first parameter's range that is farther from the optimum.
  kRuns,        // A share of the runs of every candidate.
};

struct ToyOptions {
  std::string surface;
  double gain = 0;
  NoiseSettings noise;
  Fault fault = Fault::kNone;
  FaultPlace fault_place = FaultPlace::kCandidates;
  double fault_rate = 0;
  std::chrono::milliseconds duration{0};  // Of a run.
};

const std::vector<OptionFacts>& ToyOptionFacts();

Result<ToyOptions> ReadToyOptions(const Options& options);

}  // namespace hone::toy
