// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "hone/base/process/process_tree.h"

namespace hone::sysctl {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr milliseconds kForEver{std::chrono::hours(24 * 365)};
constexpr milliseconds kBetweenTries{20};
constexpr milliseconds kStopTimeout{10'000};
constexpr milliseconds kCommandLimit{60'000};

double InSeconds(milliseconds time) { return static_cast<double>(time.count()) / 1e3; }

}  // namespace

int WorkloadService::Port() const {
  return spec_.ready_port.value_or(0) != 0 ? *spec_.ready_port : commands_.port();
}

Result<std::optional<ServiceFault>> WorkloadService::NotRun(std::string_view what,
                                                            const Error& error) {
  process_.reset();
  if (!IsHopeless(error)) return error;
  return std::optional(ServiceFault{fmt::format("{} cannot be run: {}", what, error.message), {}});
}

std::optional<ServiceFault> WorkloadService::FaultOf(std::string reason) {
  ServiceFault fault{std::move(reason), {}};
  process_->End();
  if (const auto& result = process_->Wait()) fault.evidence = OutputEvidence("service", *result);
  process_.reset();
  return fault;
}

Result<bool> WorkloadService::IsReady(milliseconds limit, const std::stop_token& stop) {
  if (spec_.ready_port) return IsListening(process_->supervisor(), Port());
  Command command = commands_.Make(*spec_.ready, Side::kService, limit);
  command.limit = std::min(command.limit, limit);
  command.stop = stop;
  const auto done = RunProcess(command);
  if (!done) return done.error();
  return done->end == ProcessResult::End::kExited && done->status == 0;
}

Result<std::optional<ServiceFault>> WorkloadService::Start(const std::stop_token& stop) {
  // Somebody else's service on the same port would be measured in place of ours.
  if (spec_.ready_port && commands_.stage().service_prefix.empty() && IsPortTaken(Port())) {
    const std::string taken = fmt::format("port {}: another program listens on it already", Port());
    const bool is_of_session = *spec_.ready_port == 0;  // The next one has another.
    if (is_of_session) return Error{Errc::kUnavailable, taken};
    return std::optional(ServiceFault{taken + ": end that, or choose another", {}});
  }
  Command command = commands_.Make(spec_.start, Side::kService, kForEver);
  auto process = RunningProcess::Start(command);
  if (!process) return NotRun("the service", process.error());
  process_ = *std::move(process);
  const auto deadline = Steady::now() + spec_.ready_within;
  while (!stop.stop_requested()) {
    if (process_->WaitFor(kBetweenTries)) {
      const auto& result = process_->Wait();
      if (!result) return NotRun("the service", Error(result.error()));
      return FaultOf(
          fmt::format("the service {} before it could serve", EndText(*result, command.limit)));
    }
    const auto left = std::chrono::ceil<milliseconds>(deadline - Steady::now());
    const auto ready = IsReady(std::max(left, kBetweenTries), stop);
    if (!ready) return NotRun("/service/ready", ready.error());
    if (*ready) return std::optional<ServiceFault>();
    if (left <= milliseconds{0}) break;
  }
  return FaultOf(
      fmt::format("the service could not serve within {:g} s", InSeconds(spec_.ready_within)));
}

Result<std::optional<ServiceFault>> WorkloadService::Prepare(bool has_sticky_change,
                                                             const std::stop_token& stop) {
  using Restart = ServiceSpec::Restart;
  const bool is_to_restart = spec_.restart == Restart::kAlways ||
                             (spec_.restart == Restart::kWhenSticky && has_sticky_change);
  if (process_ && (is_to_restart || process_->WaitFor(milliseconds{0}))) Stop();
  if (process_) return std::optional<ServiceFault>();
  return Start(stop);
}

std::optional<ServiceFault> WorkloadService::CheckAlive() {
  if (!process_ || !process_->WaitFor(milliseconds{0})) return std::nullopt;
  const auto& result = process_->Wait();
  return FaultOf("the service " + (result ? EndText(*result, {}) : result.error().message) +
                 " during the run");
}

void WorkloadService::Stop() {
  if (!process_) return;
  if (spec_.stop) {
    (void)RunProcess(commands_.Make(*spec_.stop, Side::kService, kCommandLimit));
  } else {
    process_->AskToEnd();
  }
  process_->WaitFor(kStopTimeout);
  process_.reset();
}

}  // namespace hone::sysctl
