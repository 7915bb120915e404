// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/domains/domain.h"
#include "hone/domains/kconfig/options/kernel_options.h"

namespace hone::kernels {

struct KconfigSettings {
  std::string tree;
  std::string arch;
  OptionsRequest request;
  std::vector<std::string> workloads;
  bool counts_instructions = true;
  std::string accelerator = "auto";  // ChooseAccelerator has what it may be.
  std::string machine;               // OnMachine has what it may be.
  int memory_mib = 256;
  std::chrono::seconds build_limit{3600};
};

const std::vector<OptionFacts>& KconfigOptionFacts();

// Looks at nothing of this machine.
Result<KconfigSettings> ReadKconfigSettings(const Options& options);

// Reads the file, where the options are in one.
Result<void> ReadOptionsFile(KconfigSettings& settings);

}  // namespace hone::kernels
