// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/process/running_process.h"
#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/domains/sysctl/workload/stage_commands.h"
#include "hone/measure/program_counters.h"

namespace hone::sysctl {

// Why the service cannot be measured, and what it said.
struct ServiceFault {
  std::string reason;
  std::vector<Evidence> evidence;
};

// The service under test of one session. The destructor stops it. Not safe for concurrent use.
class WorkloadService {
 public:
  // Both outlive it.
  WorkloadService(const ServiceSpec& spec, const StageCommands& commands)
      : spec_(spec), commands_(commands) {}
  ~WorkloadService() { Stop(); }
  WorkloadService(const WorkloadService&) = delete;
  WorkloadService& operator=(const WorkloadService&) = delete;

  // Starts it if it does not run, restarts it where the spec asks for that, and waits until it can
  // serve. A fault is what a candidate may have caused; an Error is not.
  Result<std::optional<ServiceFault>> Prepare(bool has_sticky_change, const std::stop_token& stop);

  // A fault if it is not running any more.
  std::optional<ServiceFault> CheckAlive();

  // Everything that it starts descends from this process; none while it does not run.
  std::optional<pid_t> supervisor() const {
    return process_ ? std::optional(process_->supervisor()) : std::nullopt;
  }

  // What it and everything that it started have done since its start.
  TreeCounts ReadCounts() const {
    return process_ ? ReadTreeCounts(process_->supervisor()) : TreeCounts();
  }

  // First as the spec says or by SIGTERM, then by force.
  void Stop();

 private:
  Result<std::optional<ServiceFault>> Start(const std::stop_token& stop);
  Result<bool> IsReady(std::chrono::milliseconds limit, const std::stop_token& stop);
  Result<std::optional<ServiceFault>> NotRun(std::string_view what, const Error& error);
  std::optional<ServiceFault> FaultOf(std::string reason);
  int Port() const;

  const ServiceSpec& spec_;
  const StageCommands& commands_;
  std::unique_ptr<RunningProcess> process_;
};

}  // namespace hone::sysctl
