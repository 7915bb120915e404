// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/preflight.h"

#include <memory>
#include <utility>

#include "hone/domains/sysctl/network/network_pair.h"
#include "hone/domains/sysctl/sysctl_sessions.h"
#include "hone/domains/sysctl/workload/workload_runner.h"

namespace hone::sysctl {

Result<RunResult> RunUnchanged(const WorkloadSpec& spec) {
  std::unique_ptr<NetworkPair> network;  // Outlives the runner.
  WorkloadStage stage;
  if (spec.place != Place::kHost) {
    auto made = NetworkPair::Make();
    if (!made) return made.error();
    network = std::move(*made);
    stage = StageIn(*network, 0);
  }
  const auto runner = WorkloadRunner::Open(spec, std::move(stage));
  if (!runner) return runner.error();
  return (*runner)->Run({});
}

}  // namespace hone::sysctl
