// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/domain.h"
#include "hone/domains/sysctl/workload/workload_spec.h"

namespace hone::sysctl {

// Where the programs of a workload run.
struct WorkloadStage {
  std::vector<std::string> service_prefix;    // Put before every command of the service's side:
  std::vector<std::string> benchmark_prefix;  // {"nsenter", "-t", "123", "-n", "--"}; else empty.
  std::vector<int> cpus;                      // Where the spec pins nothing.
  // {name} in arguments. Always there: {hone} the program itself, {folder} a scratch folder of
  // the session, {address} where the service listens ("127.0.0.1"), {port} a free port of the
  // session, {cpus} how many processors there are.
  std::map<std::string, std::string> variables;
  // Where the benchmark sees its net.* parameters: "/proc/123/ns/net"; empty: as we do.
  std::string network_namespace;
};

// What a single run is told.
struct WorkloadRun {
  bool has_sticky_change = false;  // Since the run before: restart the service if the spec says so.
  std::vector<std::string> watched_paths;  // Tuned parameters: reading them is suspicious.
  std::chrono::milliseconds limit{0};
  std::stop_token stop;
  // Called at once, from another thread, when a tripwire breaks, before the programs are gone.
  std::function<void(const std::string& why)> on_trip;
};

// One session's workload: setup, service, runs, teardown. The destructor ends everything and
// leaves no process and no file. Not safe for concurrent use.
class WorkloadRunner {
 public:
  // Runs the setup; starts nothing else yet. If the setup fails, so does every run.
  static Result<std::unique_ptr<WorkloadRunner>> Open(const WorkloadSpec& spec,
                                                      WorkloadStage stage);

  virtual ~WorkloadRunner() = default;

  // One run: restart the service where needed, drop caches where asked, run the benchmark under
  // the tripwires, take the metrics strictly, with observations as deltas over the run: of the
  // machine (MachineCounters), of benchmark and service together, and of the processors
  // (program_counters.h).
  // An outcome other than accepted: the benchmark failed, hung, said no number, or a wire broke.
  virtual Result<RunResult> Run(const WorkloadRun& run) = 0;
};

// What a run of the spec cannot watch on this machine, each with the reason: tripwires that are
// off, reads of tuned parameters that cannot be traced to the benchmark. For plans and `doctor`.
std::vector<std::string> BlindSpots(const WorkloadSpec& spec);

}  // namespace hone::sysctl
