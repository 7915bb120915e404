// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/domains/domain.h"
#include "hone/domains/kconfig/kernel_measurement.h"
#include "hone/domains/kconfig/options/kernel_options.h"

namespace hone::kernels {

// A workload of one's own, by the name of a preset or of a file.
using WorkloadReader = std::function<Result<GuestWorkload>(const std::string& name)>;

struct KconfigSettings {
  std::string tree;
  std::string arch;
  OptionsRequest request;
  std::vector<std::string> workloads;
  std::string workload;                                 // Empty: those that are there.
  std::shared_ptr<const PackedWorkload> own = nullptr;  // ReadFiles has it.
  bool counts_instructions = true;
  std::string accelerator = "auto";  // ChooseAccelerator has what it may be.
  std::string machine;               // OnMachine has what it may be.
  int memory_mib = 256;
  std::chrono::seconds build_limit{3600};
  std::string identity;  // Of what kernels must be made of; empty: of whatever is there.
};

const std::vector<OptionFacts>& KconfigOptionFacts();

// Looks at nothing of this machine.
Result<KconfigSettings> ReadKconfigSettings(const Options& options);

// Reads what lies in files: the options, and a workload of one's own with what it needs.
Result<void> ReadFiles(KconfigSettings& settings, const WorkloadReader& read_workload);

}  // namespace hone::kernels
