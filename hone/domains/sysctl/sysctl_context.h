// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "hone/core/result.h"
#include "hone/core/space.h"
#include "hone/core/task.h"
#include "hone/domains/domain.h"
#include "hone/domains/sysctl/apply/untold_services.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/kernel/setting.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/sysctl_domain.h"
#include "hone/domains/sysctl/workload/workload_spec.h"

namespace hone::sysctl {

inline constexpr char kStability[] = "stability";

struct SysctlOptions {
  WorkloadSpec workload;
  bool is_rehearsal = false;  // Nothing is touched or run; numbers come from a made-up surface.
};

const std::vector<OptionFacts>& SysctlOptionFacts();
Result<SysctlOptions> ReadSysctlOptions(const Options& options);

// What all sessions of a domain share and none changes, but for what is `untold`.
struct SysctlContext {
  SysctlOptions options;
  TunableSet tunables;
  Space space;
  std::map<std::string, std::string> in_force;  // By path, before anything was touched.
  std::map<std::string, HeldFile> files;        // Of services, as they were then; by path.
  std::shared_ptr<UntoldServices> untold = std::make_shared<UntoldServices>();
};

// Looks at the machine through `files` and touches nothing.
Result<SysctlContext> InspectMachine(SysctlOptions options, KernelFiles& files);

// Kernel parameters and keys of services.
std::vector<std::string> PathsOf(const TunableSet& tunables);
std::vector<std::string> KernelPathsOf(const TunableSet& tunables);

// The files behind these paths, each once; of ethtool's there are none.
std::vector<std::string> FilesThatCanBeOpened(const std::vector<std::string>& paths);

}  // namespace hone::sysctl
