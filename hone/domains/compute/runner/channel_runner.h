// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/base/host.h"
#include "hone/core/rng.h"
#include "hone/domains/compute/runner/call_channel.h"
#include "hone/domains/compute/runner/placement.h"
#include "hone/domains/compute/runner/process_memory.h"
#include "hone/domains/compute/runner/run_delay.h"
#include "hone/domains/compute/runner/runner.h"
#include "hone/domains/compute/runner/thread_states.h"
#include "hone/sandbox/running_sandbox.h"

namespace hone::compute {

// The judge's side of a runner that speaks call_block.h, whatever language it is written in.
class ChannelRunner final : public Runner {
 public:
  // `pid` is that of the runner's process as we see it; its memory holds the outputs that it
  // decides on.
  ChannelRunner(std::unique_ptr<RunningSandbox> sandbox, CallChannel channel, pid_t pid,
                ProcessMemory memory);
  ~ChannelRunner() override;

  // Waits for the answer to call 0. The sources' constructors and imports run before it.
  std::optional<RunnerFault> AwaitLoaded(std::chrono::nanoseconds limit,
                                         const std::stop_token& stop);

  Result<CallReport> Call(const CallOrder& order) override;
  Result<CallReport> CallNothing() override;
  Result<CallReport> MakeInputs(std::uint64_t seed, std::chrono::nanoseconds limit) override;
  std::chrono::nanoseconds Used() const override;
  void Pin(const std::vector<int>& cpus) override;
  std::optional<std::string> End() override;
  HeldMemory Held() const override;

 private:
  struct Layout;

  Result<Layout> Arrange(const CallOrder& order);
  void Describe(const CallOrder& order, const Layout& layout);
  void Lay(const CallOrder& order, const Layout& layout);
  void SetGuards(const Layout& layout);
  std::string TextOfGuard(const Layout& layout);
  // Makes the runner ready for a publication, and waits until all of it sleeps.
  std::optional<RunnerFault> Arm(const std::stop_token& stop);
  // Lays the arrays, publishes, waits until it is done and sleeps; fills in the times.
  std::optional<RunnerFault> Publish(std::uint32_t what, const std::function<void()>& lay,
                                     std::chrono::nanoseconds limit, const std::stop_token& stop,
                                     CallReport& report);
  std::optional<RunnerFault> Exchange(std::uint32_t what, const std::function<void()>& lay,
                                      std::chrono::nanoseconds limit, const std::stop_token& stop,
                                      CallReport& report);
  std::optional<RunnerFault> ExchangeArrays(std::uint32_t what, const CallOrder& order,
                                            const Layout& layout, CallReport& report);
  std::optional<RunnerFault> TimeNothing(const CallOrder& order, CallReport& report);
  std::optional<RunnerFault> AwaitSleep(CallChannel::Time* since);
  std::optional<RunnerFault> ReadAnswer(CallReport& report);
  std::optional<RunnerFault> SeeWhatCollectingMissed(CallReport& report);
  std::optional<RunnerFault> AwaitAnswer(std::uint32_t seen, CallChannel::Time deadline,
                                         const std::stop_token& stop);
  bool HasDied() const;
  void Collect(const Layout& layout, CallReport& report);
  std::optional<RunnerFault> FetchOutputs(const Layout& layout, const CallOrder& order,
                                          CallReport& report);
  // With its fault, if it has one: an Error where that is nothing that it did.
  Result<CallReport> Reported(CallReport report) const;

  std::unique_ptr<RunningSandbox> sandbox_;
  CallChannel channel_;
  const pid_t pid_;
  const ProcessMemory memory_;
  const clockid_t cpu_clock_;
  const RunDelay delay_;
  const ThreadStates states_;
  bool has_one_cpu_ = false;
  bool judge_has_cpu_ = AllowedCpus().size() > 1;  // Where no runner runs: then it may spin.
  std::uint32_t call_ = 0;
  std::uint32_t last_answer_ = 0;            // As it must still stand there.
  std::chrono::nanoseconds used_at_end_{0};  // Of the last publication, or of loading.
  std::optional<RunnerFault> fault_;
};

}  // namespace hone::compute
