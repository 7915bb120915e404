// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/core/metric.h"
#include "hone/core/result.h"
#include "hone/domains/domain.h"
#include "hone/domains/kconfig/build/kernel_builder.h"
#include "hone/domains/kconfig/guest/guest.h"
#include "hone/domains/kconfig/guest/guest_result.h"
#include "hone/domains/kconfig/guest/guest_workload.h"

namespace hone::kernels {

// A person's own workload, with its files as an archive that a kernel unpacks.
struct PackedWorkload {
  GuestWorkload workload;
  std::string archive;
  std::string digest;  // SHA-256 over all that makes its numbers: steps, files, its disk.
};

// Reads all files that it takes along. An Error names what is not there.
Result<std::shared_ptr<const PackedWorkload>> Pack(GuestWorkload workload);

// What to measure of a kernel in a guest.
struct MeasureOrder {
  GuestArch arch;
  BuiltKernel kernel;
  std::string program;  // The guest's first one.
  std::string command_line = {};
  std::map<std::string, std::string> sysctls = {};
  std::vector<std::string> workloads = {};
  std::shared_ptr<const PackedWorkload> own = nullptr;  // In place of those, if there is one.
  bool counts_instructions = true;
  Accelerator accelerator = Accelerator::kTcg;
  std::uint64_t seed = 0;
  int memory_mib = 256;
  std::chrono::milliseconds limit{60'000};
  std::stop_token stop = {};
};

// What a build says that gave no kernel.
RunResult ResultOf(const KernelBuild& failed);

// The end of what make printed, for a kernel that was built just now.
Evidence BuildLogOf(const KernelBuild& build);

// Boots it once and measures. What the kernel does wrong is an outcome.
Result<RunResult> MeasureKernel(Guest& guest, const MeasureOrder& order);

// The metrics of such a sample, the index first.
std::vector<MetricFacts> MetricsOf(const std::vector<std::string>& workloads,
                                   bool counts_instructions);

// The same for a workload of one's own: its metrics first.
std::vector<MetricFacts> MetricsOf(const GuestWorkload& own, bool counts_instructions);

}  // namespace hone::kernels
