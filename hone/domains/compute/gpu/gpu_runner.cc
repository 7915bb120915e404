// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/gpu_runner.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "hone/base/host.h"
#include "hone/domains/compute/runner/runner_faults.h"
#include "hone/domains/compute/runner/urgency.h"
#include "hone/gpu/cuda_calls.h"

namespace hone::compute {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr std::chrono::seconds kMaxGpuArming{10};

constexpr std::uint32_t kIdleCycles = 10'000;
constexpr std::uint32_t kLongerIdleCycles = 40'000;

constexpr std::size_t kLookBytes = 64 << 10;
constexpr std::size_t kPoisonBytes = 64 << 10;  // Come from here; they are copied on the GPU then.

// The part of an input that is looked at afterwards. It cannot be written to; if it could, a part
// at a place that nobody knows before would show it, without copying all of it back in every call.
gpu::Range LookedAt(const Place& place, Rng& rng) {
  const std::size_t bytes = std::min(place.bytes, kLookBytes);
  return {place.offset + rng.Below(place.bytes - bytes + 1), bytes};
}

gpu::Range PartOf(const Place& place, const TensorSpec& output, const OutputPart& part) {
  if (part.elements == 0 || part.elements >= output.Count()) return {place.offset, place.bytes};
  const std::size_t size = SizeOf(output.dtype);
  const auto begin = static_cast<std::uint64_t>(BeginOf(part, output.Count()));
  return {place.offset + begin * size, static_cast<std::size_t>(part.elements) * size};
}

// What came back of an output.
Tensor TensorOf(const TensorSpec& output, const std::byte* at, std::uint64_t first,
                std::size_t bytes) {
  Tensor tensor{output, {at + first, at + first + bytes}};
  if (bytes != output.Bytes()) {
    tensor.spec.shape = {static_cast<std::int64_t>(bytes / SizeOf(output.dtype))};
  }
  return tensor;
}

// The GPU while it is ours alone.
class HeldGpu {
 public:
  explicit HeldGpu(gpu::GpuDevice& device) : device_(device) {}
  HeldGpu(const HeldGpu&) = delete;
  HeldGpu& operator=(const HeldGpu&) = delete;
  ~HeldGpu() {
    if (has_begun_) device_.LetGo();
  }

  // Spins: what comes next is timed.
  Result<void> Take() {
    if (auto begun = device_.BeginTaking(); !begun) return begun;
    has_begun_ = true;
    const auto deadline = SteadyClock::now() + kMaxGpuArming;
    while (!device_.IsTaken()) {
      if (SteadyClock::now() > deadline) {
        return Error{Errc::kUnavailable, "GPU: it does not come to an end of what it was given"};
      }
    }
    return {};
  }

  void LetGo() {
    device_.LetGo();
    has_begun_ = false;
  }

 private:
  gpu::GpuDevice& device_;
  bool has_begun_ = false;
};

}  // namespace

GpuRunner::GpuRunner(GpuParts parts)
    : parts_(std::move(parts)), delay_(RunDelay::OfProcess(parts_.pid)) {}

GpuRunner::~GpuRunner() {
  // Its memory goes back to the shelf when it is gone, and not before.
  parts_.ended->Add(std::move(parts_.sandbox),
                    [hold = parts_.until_gone, memory = parts_.memory] { return hold(); });
}

bool GpuRunner::HasDied() const {
  pollfd handle{parts_.sandbox->pidfd(), POLLIN, 0};
  return ::poll(&handle, 1, 0) > 0;
}

std::optional<RunnerFault> GpuRunner::AwaitAnswer(std::uint32_t seen, nanoseconds limit,
                                                  const std::stop_token& stop) {
  const auto deadline = SteadyClock::now() + limit;
  const auto is_over = [&] {
    return stop.stop_requested() || SteadyClock::now() > deadline || HasDied();
  };
  if (parts_.channel.AwaitOtherThan(seen, true, is_over)) return std::nullopt;
  using Kind = RunnerFault::Kind;
  if (HasDied()) return FaultOfDeath(*parts_.sandbox, call_);
  if (stop.stop_requested()) return RunnerFault{Kind::kStopped, "was asked to stop", ""};
  parts_.sandbox->Kill();
  return RunnerFault{Kind::kTimedOut, fmt::format("had not returned from call {} in time", call_),
                     ""};
}

std::optional<RunnerFault> GpuRunner::AwaitLoaded(nanoseconds limit, const std::stop_token& stop) {
  fault_ = AwaitAnswer(kAnswerNone, limit, stop);
  if (fault_) return fault_;
  last_answer_ = parts_.channel.answer();
  if (last_answer_ == kAnswerFailed) {
    fault_ = RunnerFault{RunnerFault::Kind::kNotLoaded, ErrorTextOf(parts_.channel), ""};
  } else {
    fault_ = FaultOfAnswer(call_, last_answer_, kAnswerDone);
  }
  if (!fault_) launch_facts_ = ReadLaunchFacts();
  return fault_;
}

std::vector<LaunchFacts> GpuRunner::ReadLaunchFacts() {
  std::vector<LaunchFacts> facts;
  if (!parts_.plan) return facts;
  const gpu::GpuFacts& device = parts_.device->Facts();
  const auto threads = device.attributes.find(gpu::kCuThreadsOfMultiprocessor);
  const LaunchBlock& block = launches();
  for (std::uint32_t i = 0; i < std::min(block.steps, kMaxSteps); ++i) {
    const Step& step = block.step[i];
    if (step.kind != kStepLaunch || step.function >= parts_.plan->functions().size()) continue;
    const FunctionFacts& function = block.function[step.function];
    LaunchFacts one;
    one.kernel = parts_.plan->functions()[step.function];
    std::ranges::copy(step.grid, one.grid.begin());
    std::ranges::copy(step.block, one.block.begin());
    one.registers = function.registers;
    one.local_bytes = function.local_bytes;
    one.shared_bytes = std::int64_t{function.shared_bytes} + step.shared_bytes;
    one.max_threads = function.max_threads;
    one.blocks_at_once = block.blocks_at_once[i];
    one.threads_at_once = threads == device.attributes.end() ? 0 : threads->second;
    one.multiprocessors = device.multiprocessors;
    facts.push_back(std::move(one));
  }
  return facts;
}

Result<std::vector<GpuRunner::Slot>> GpuRunner::Arrange(const CallOrder& order) const {
  std::vector<Slot> slots;
  std::vector<std::size_t> input_bytes;
  std::vector<std::size_t> output_bytes;
  for (const Tensor& input : order.inputs) {
    slots.push_back({parts_.memory->inputs.get(), {}, input.spec.name, &input, nullptr});
    input_bytes.push_back(input.bytes.size());
  }
  for (const TensorSpec& output : order.outputs) {
    slots.push_back({parts_.memory->outputs.get(), {}, output.name, nullptr, &output});
    output_bytes.push_back(output.Bytes());
  }
  Rng rng = Rng(order.secret).Split("places");
  const auto inputs = PlaceArrays(input_bytes, parts_.memory->inputs->bytes(), rng);
  const auto outputs = PlaceArrays(output_bytes, parts_.memory->outputs->bytes(), rng);
  if (!inputs || !outputs || slots.size() > kMaxTensors || order.sizes.size() > kMaxSizes) {
    return Error{Errc::kInvalidArgument, "the arrays of a call do not fit into the GPU's memory"};
  }
  for (std::size_t i = 0; i < inputs->size(); ++i) slots[i].place = (*inputs)[i];
  for (std::size_t i = 0; i < outputs->size(); ++i) {
    slots[inputs->size() + i].place = (*outputs)[i];
  }
  return slots;
}

// What kernels have for themselves then holds nothing of an earlier call, and nothing that is of
// use: a byte by lot. Before the inputs are there, and before the caches are as a call finds them.
std::optional<RunnerFault> GpuRunner::SpoilScratch(const CallOrder& order, CallReport& report) {
  if (parts_.scratch_bytes == 0) return std::nullopt;
  launches().spoil = static_cast<std::uint32_t>(Rng(order.secret).Split("scratch").Below(256));
  CallReport spoilt;
  auto fault = Publish(kCallSpoil, kMaxGpuArming, order.stop, spoilt);
  report.exception = std::move(spoilt.exception);
  return fault;
}

// All of them, wherever arrays may have been: the reference has answered the same question there,
// perhaps a moment ago.
Result<void> GpuRunner::PoisonOutputs(std::uint64_t poison) {
  gpu::GpuMemory& memory = *parts_.memory->outputs;
  const std::size_t first = std::min(memory.bytes(), kPoisonBytes);
  FillPattern(memory.here(), first, poison);
  if (auto begun = memory.Upload({0, first}); !begun) return begun;
  return memory.Repeat({0, memory.bytes()}, first);
}

Result<void> GpuRunner::LayCanaries(const Slot& slot, std::uint64_t canary) {
  const auto [offset, bytes] = slot.place;
  for (const std::size_t begin : {offset - kCanaryBytes, offset + bytes}) {
    FillPattern(slot.memory->here() + begin, kCanaryBytes, canary);
    if (auto begun = slot.memory->Upload({begin, kCanaryBytes}); !begun) return begun;
  }
  return {};
}

Result<void> GpuRunner::LayInput(const Slot& slot, std::uint64_t staged, std::uint64_t canary) {
  if (auto laid = LayCanaries(slot, canary); !laid) return laid;
  gpu::GpuMemory& memory = *slot.memory;
  const auto [offset, bytes] = slot.place;
  if (staged != 0) return memory.CopyFrom(staged, {offset, bytes});
  std::memcpy(memory.here() + offset, slot.input->bytes.data(), bytes);
  return memory.Upload({offset, bytes});
}

void GpuRunner::Describe(const CallOrder& order, const std::vector<Slot>& slots) {
  CallBlock& block = parts_.channel.block();
  block.inputs = static_cast<std::uint32_t>(order.inputs.size());
  block.outputs = static_cast<std::uint32_t>(order.outputs.size());
  block.error_bytes = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = slots[i];
    DescribeArray(slot.input != nullptr ? slot.input->spec : *slot.output, slot.place.offset,
                  slot.place.bytes, block.tensors[i]);
  }
}

// The addresses of the inputs on the stage; 0: they are not there.
Result<std::vector<std::uint64_t>> GpuRunner::Stage(const CallOrder& order) {
  if (order.same_inputs == 0) return std::vector<std::uint64_t>(order.inputs.size(), 0);
  return parts_.stage->Bring(order.same_inputs, order.inputs);
}

Result<void> GpuRunner::Lay(const CallOrder& order, const std::vector<Slot>& slots,
                            const std::vector<std::uint64_t>& staged) {
  const Rng rng(order.secret);
  const std::uint64_t poison = PoisonFrom(rng.Split("poison").Next());
  const std::uint64_t canary = rng.Split("canary").Next();
  if (auto begun = PoisonOutputs(poison); !begun) return begun;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = slots[i];
    const bool is_input = slot.input != nullptr;
    auto laid = is_input ? LayInput(slot, staged.at(i), canary) : LayCanaries(slot, canary);
    if (!laid) return laid;
  }
  if (order.cache == CacheState::kCold) {
    if (auto begun = parts_.device->Chill(); !begun) return begun;
  }
  return parts_.device->Finish();
}

LaunchBlock& GpuRunner::launches() {
  return *reinterpret_cast<LaunchBlock*>(parts_.channel.at(kLaunchOffset));
}

// What the way there and back takes now. A GPU that was used by another context, be it for a copy,
// takes a while to turn to this one, and not always the same: the first two empty calls pay for
// that. The kernel of the last one idles for a while: a shorter one would be over before the
// driver has begun to wait for it, and show the driver's haste instead. How long that while is
// depends on the GPU's clock, which changes: the one before, which idles for longer, tells.
// With the call that follows they are an odd number: the driver writes launches into a ring whose
// length is a power of two, and with an even number a process would be timed at the same places of
// it over and over, which are slow ones in some.
std::optional<RunnerFault> GpuRunner::TimeNothing(const std::stop_token& stop, CallReport& report) {
  CallReport longer;
  const std::array<std::pair<std::uint32_t, CallReport*>, 4> calls{
      {{0, &longer}, {0, &longer}, {kLongerIdleCycles, &longer}, {kIdleCycles, &report}}};
  for (const auto& [cycles, call] : calls) {
    launches().idle_cycles = cycles;
    if (auto fault = Publish(kCallNothing, kMaxGpuArming, stop, *call)) return fault;
    if (call->exception.empty()) continue;
    report.exception = std::move(call->exception);
    return std::nullopt;
  }
  report.time -= (longer.time - report.time) * kIdleCycles / (kLongerIdleCycles - kIdleCycles);
  return std::nullopt;
}

// An empty call directly before shows the same state of the caches of both processors.
std::optional<RunnerFault> GpuRunner::Exchange(nanoseconds limit, const std::stop_token& stop,
                                               CallReport& report) {
  CallReport empty;
  if (auto fault = TimeNothing(stop, empty)) return fault;
  if (!empty.exception.empty()) {
    report.exception = std::move(empty.exception);
    return std::nullopt;
  }
  report.nothing = empty.time;
  return Publish(kCallKernel, limit, stop, report);
}

Result<void> GpuRunner::PlanLaunches(const CallOrder& order) {
  if (!parts_.plan) return Error{Errc::kInvalidArgument, "nothing is loaded that could be called"};
  Sizes sizes;
  for (std::size_t i = 0; i < order.sizes.size(); ++i) {
    sizes[parts_.size_names.at(i)] = order.sizes[i];
  }
  return parts_.plan->Fill(sizes, launches());
}

std::optional<RunnerFault> GpuRunner::Publish(std::uint32_t what, nanoseconds limit,
                                              const std::stop_token& stop, CallReport& report) {
  if (auto fault = Arm(what, stop)) return fault;
  return CallArmed(limit, stop, report);
}

std::optional<RunnerFault> GpuRunner::Arm(std::uint32_t what, const std::stop_token& stop) {
  CallChannel& channel = parts_.channel;
  ++call_;
  if (auto forged = FaultOfAnswer(call_, channel.answer(), last_answer_)) return forged;
  channel.block().what = what;
  channel.SetTurn(call_, kTurnArm, true);
  if (auto fault = AwaitAnswer(last_answer_, kMaxGpuArming, stop)) return fault;
  return FaultOfAnswer(call_, channel.answer(), call_ << 2 | kAnswerReady);
}

std::optional<RunnerFault> GpuRunner::CallArmed(nanoseconds limit, const std::stop_token& stop,
                                                CallReport& report) {
  thread_local const RunDelay own_delay = RunDelay::OfThisThread();
  CallChannel& channel = parts_.channel;
  const std::uint32_t ready = call_ << 2 | kAnswerReady;
  const nanoseconds waited_before = delay_.Read() + own_delay.Read();
  const auto began = SteadyClock::now();
  channel.SetTurn(call_, kTurnCall, false);  // It spins: no system call is needed.
  auto fault = AwaitAnswer(ready, limit, stop);
  report.time = SteadyClock::now() - began;
  if (fault) return fault;
  report.delay = delay_.Read() + own_delay.Read() - waited_before;
  last_answer_ = channel.answer();
  report.claimed = nanoseconds{channel.block().ended_ns - channel.block().began_ns};
  if (last_answer_ == (call_ << 2 | kAnswerFailed)) {
    report.exception = ErrorTextOf(channel);
    return std::nullopt;
  }
  return FaultOfAnswer(call_, last_answer_, call_ << 2 | kAnswerDone);
}

// Outputs first: whoever said "done" too early is writing them now.
Result<void> GpuRunner::Download(const std::vector<Slot>& slots) {
  for (std::size_t i = slots.size(); i-- > 0;) {
    const Slot& slot = slots[i];
    const auto [offset, bytes] = slot.place;
    for (const gpu::Range& range : {slot.look, gpu::Range{offset - kCanaryBytes, kCanaryBytes},
                                    gpu::Range{offset + bytes, kCanaryBytes}}) {
      if (auto begun = slot.memory->Download(range); !begun) return begun;
    }
  }
  return parts_.device->Finish();
}

Result<void> GpuRunner::Collect(const CallOrder& order, std::vector<Slot>& slots,
                                CallReport& report) {
  const Rng rng(order.secret);
  report.poison = PoisonFrom(rng.Split("poison").Next());
  const std::uint64_t canary = rng.Split("canary").Next();
  Rng looks = rng.Split("looks");
  for (Slot& slot : slots) {
    slot.look = slot.input != nullptr ? LookedAt(slot.place, looks)
                                      : PartOf(slot.place, *slot.output, order.part);
  }
  if (auto copied = Download(slots); !copied) return copied;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = slots[i];
    const auto [offset, bytes] = slot.place;
    const std::byte* const at = slot.memory->here() + offset;
    if (!report.overrun) report.overrun = FindOverrun(slot.name, at, bytes, canary);
    if (slot.output != nullptr) {
      report.outputs.push_back(
          TensorOf(*slot.output, at, slot.look.offset - offset, slot.look.bytes));
    } else if (!report.changed) {
      report.changed = FindChangeIn(*slot.input, at, i, slot.look.offset - offset, slot.look.bytes);
    }
  }
  return {};
}

Result<void> GpuRunner::CallOpen(const CallOrder& order, std::vector<Slot>& slots,
                                 CallReport& report) {
  auto staged = Stage(order);
  if (!staged) return staged.error();
  if (auto laid = Lay(order, slots, *staged); !laid) return laid;
  fault_ = Exchange(order.limit, order.stop, report);
  if (fault_ || !report.exception.empty()) return {};
  return Collect(order, slots, report);
}

// Arming asks the driver for something that waits for the GPU: so it comes first, and from then on
// the runner only spins. The clock begins before the GPU is let go, and ends when it is ours again:
// whatever the runner's context did with these inputs lies in between, said or not.
Result<void> GpuRunner::CallSealed(const CallOrder& order, std::vector<Slot>& slots,
                                   CallReport& report) {
  auto staged = Stage(order);
  if (!staged) return staged.error();
  if (auto finished = parts_.device->Finish(); !finished) return finished;
  fault_ = Arm(kCallKernel, order.stop);
  if (fault_) return {};
  HeldGpu held(*parts_.device);
  if (auto taken = held.Take(); !taken) return taken;
  if (auto laid = Lay(order, slots, *staged); !laid) return laid;
  const auto began = SteadyClock::now();
  held.LetGo();
  fault_ = CallArmed(order.limit, order.stop, report);
  const auto before = parts_.device->LongestGap();
  if (!before) return before.error();
  if (fault_ || !report.exception.empty()) return {};
  if (auto taken = held.Take(); !taken) return taken;
  const nanoseconds span = SteadyClock::now() - began;
  if (auto collected = Collect(order, slots, report); !collected) return collected;
  held.LetGo();
  const auto after = parts_.device->LongestGap();
  if (!after) return after.error();
  if (std::max(*before, *after) < gpu::kMaxGapOfHold) report.span = span;
  return {};
}

Result<CallReport> GpuRunner::Call(const CallOrder& order) {
  CallReport report;
  if (fault_) return Reported(std::move(report));
  if (auto planned = PlanLaunches(order); !planned) {  // What it asks for cannot be launched.
    report.exception = planned.error().message;
    return report;
  }
  fault_ = SpoilScratch(order, report);
  if (fault_ || !report.exception.empty()) return Reported(std::move(report));
  const std::lock_guard nobody_else(parts_.memory->in_call);
  auto slots = Arrange(order);
  if (!slots) return slots.error();
  Describe(order, *slots);
  auto called =
      order.is_sealed ? CallSealed(order, *slots, report) : CallOpen(order, *slots, report);
  if (!called) return called.error();
  return Reported(std::move(report));
}

Result<CallReport> GpuRunner::Reported(CallReport report) const {
  if (auto failure = FailureIn(fault_)) return *std::move(failure);
  report.fault = fault_;
  return report;
}

Result<CallReport> GpuRunner::CallNothing() {
  CallReport report;
  if (!fault_) fault_ = TimeNothing({}, report);
  return Reported(std::move(report));
}

void GpuRunner::Pin(const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  ::sched_setaffinity(parts_.pid, sizeof(set), &set);
  PutFirst(parts_.pid);
}

// Of the host's memory, the judge's copies too; and what its kernels have for themselves.
HeldMemory GpuRunner::Held() const {
  return {.own_bytes = PrivateMemoryOf(parts_.pid) + parts_.scratch_bytes,
          .shared = parts_.memory.get(),
          .shared_bytes = parts_.memory->inputs->bytes() + parts_.memory->outputs->bytes()};
}

}  // namespace hone::compute
