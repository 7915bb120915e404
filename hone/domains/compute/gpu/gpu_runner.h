// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/domains/compute/gpu/call_memory.h"
#include "hone/domains/compute/gpu/input_stage.h"
#include "hone/domains/compute/gpu/launch_plan.h"
#include "hone/domains/compute/runner/call_channel.h"
#include "hone/domains/compute/runner/placement.h"
#include "hone/domains/compute/runner/run_delay.h"
#include "hone/domains/compute/runner/runner.h"
#include "hone/gpu/gpu_device.h"
#include "hone/sandbox/ended_sandboxes.h"
#include "hone/sandbox/running_sandbox.h"

namespace hone::compute {

// What a runner of GPU kernels was given.
struct GpuParts {
  std::unique_ptr<RunningSandbox> sandbox;
  CallChannel channel;
  pid_t pid = 0;
  std::shared_ptr<gpu::GpuDevice> device;
  std::shared_ptr<CallMemory> memory;
  std::shared_ptr<InputStage> stage;
  std::shared_ptr<const LaunchPlan> plan;  // Null: only empty calls are made.
  std::uint64_t scratch_bytes = 0;
  std::vector<std::string> size_names;
  std::shared_ptr<EndedSandboxes> ended;
  EndedSandboxes::Hold until_gone;  // What is held until nothing of it is left.
};

// The judge's side of a runner that launches GPU kernels and has no other code of the candidate's.
// One call is published at a time: kernels of one context reach all of its memory, and one that
// found the inputs of the next call beside its own would do its work as well.
class GpuRunner final : public Runner {
 public:
  explicit GpuRunner(GpuParts parts);
  ~GpuRunner() override;

  std::optional<RunnerFault> AwaitLoaded(std::chrono::nanoseconds limit,
                                         const std::stop_token& stop);

  Result<CallReport> Call(const CallOrder& order) override;
  Result<CallReport> CallNothing() override;
  std::chrono::nanoseconds Used() const override { return {}; }
  void Pin(const std::vector<int>& cpus) override;
  std::vector<LaunchFacts> Launches() const override { return launch_facts_; }
  bool CanSeal() const override { return true; }
  HeldMemory Held() const override;

 private:
  // An array, and where it lies in the memory of the inputs or of the outputs.
  struct Slot {
    gpu::GpuMemory* memory = nullptr;
    Place place;
    std::string name;
    const Tensor* input = nullptr;
    const TensorSpec* output = nullptr;
    gpu::Range look = {};  // What comes back.
  };

  Result<std::vector<Slot>> Arrange(const CallOrder& order) const;
  void Describe(const CallOrder& order, const std::vector<Slot>& slots);
  Result<std::vector<std::uint64_t>> Stage(const CallOrder& order);
  Result<void> Lay(const CallOrder& order, const std::vector<Slot>& slots,
                   const std::vector<std::uint64_t>& staged);
  static Result<void> LayInput(const Slot& slot, std::uint64_t staged, std::uint64_t canary);
  std::optional<RunnerFault> SpoilScratch(const CallOrder& order, CallReport& report);
  Result<void> PoisonOutputs(std::uint64_t poison);
  static Result<void> LayCanaries(const Slot& slot, std::uint64_t canary);
  Result<void> Download(const std::vector<Slot>& slots);
  Result<void> Collect(const CallOrder& order, std::vector<Slot>& slots, CallReport& report);
  Result<void> PlanLaunches(const CallOrder& order);
  std::optional<RunnerFault> TimeNothing(const std::stop_token& stop, CallReport& report);
  std::optional<RunnerFault> Exchange(std::chrono::nanoseconds limit, const std::stop_token& stop,
                                      CallReport& report);
  LaunchBlock& launches();
  std::vector<LaunchFacts> ReadLaunchFacts();
  std::optional<RunnerFault> Publish(std::uint32_t what, std::chrono::nanoseconds limit,
                                     const std::stop_token& stop, CallReport& report);
  std::optional<RunnerFault> Arm(std::uint32_t what, const std::stop_token& stop);
  std::optional<RunnerFault> CallArmed(std::chrono::nanoseconds limit, const std::stop_token& stop,
                                       CallReport& report);
  Result<void> CallOpen(const CallOrder& order, std::vector<Slot>& slots, CallReport& report);
  // With its fault, if it has one: an Error where that is nothing that it did.
  Result<CallReport> Reported(CallReport report) const;
  Result<void> CallSealed(const CallOrder& order, std::vector<Slot>& slots, CallReport& report);
  std::optional<RunnerFault> AwaitAnswer(std::uint32_t seen, std::chrono::nanoseconds limit,
                                         const std::stop_token& stop);
  bool HasDied() const;

  GpuParts parts_;
  const RunDelay delay_;
  std::uint32_t call_ = 0;
  std::uint32_t last_answer_ = 0;
  std::optional<RunnerFault> fault_;
  std::vector<LaunchFacts> launch_facts_;
};

}  // namespace hone::compute
