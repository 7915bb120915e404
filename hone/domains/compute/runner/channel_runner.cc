// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/channel_runner.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <thread>
#include <utility>

#include "hone/domains/compute/runner/runner_faults.h"
#include "hone/domains/compute/runner/urgency.h"

namespace hone::compute {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr std::chrono::seconds kMaxArming{10};
// After an answer, until all sleep. A machine that is itself a guest may lose its processor for a
// tenth of a second, and whoever was on it seems to have worked all the while.
constexpr std::chrono::milliseconds kMaxSettling{500};
constexpr std::chrono::seconds kMaxStarving{2};  // Where others do not let them have one.
constexpr std::chrono::microseconds kNap{20};
constexpr std::uint64_t kMaxStackShift = 4096;
constexpr std::uint64_t kStackAlignment = 16;

}  // namespace

struct ChannelRunner::Layout {
  struct Slot {
    Place place;
    const Tensor* input = nullptr;
    const TensorSpec* output = nullptr;

    const TensorSpec& Spec() const { return input != nullptr ? input->spec : *output; }
  };

  std::vector<Slot> slots;  // As in the table: inputs, then outputs.
  bool has_guards = false;
  std::size_t free_bytes = 0;  // What outputs that the runner decides on may have, together.
  std::uint64_t poison = 0;
  std::uint64_t canary = 0;
  std::uint32_t stack_shift = 0;
};

namespace {

clockid_t CpuClockOf(pid_t pid) {
  clockid_t clock{};
  return ::clock_getcpuclockid(pid, &clock) == 0 ? clock : CLOCK_MONOTONIC;
}

RunnerFault Stopped() { return {RunnerFault::Kind::kStopped, "was asked to stop", ""}; }

}  // namespace

ChannelRunner::ChannelRunner(std::unique_ptr<RunningSandbox> sandbox, CallChannel channel,
                             pid_t pid, ProcessMemory memory)
    : sandbox_(std::move(sandbox)),
      channel_(std::move(channel)),
      pid_(pid),
      memory_(std::move(memory)),
      cpu_clock_(CpuClockOf(pid)),
      delay_(RunDelay::OfProcess(pid)),
      states_(pid) {}

ChannelRunner::~ChannelRunner() {
  if (sandbox_) sandbox_->Kill();
}

nanoseconds ChannelRunner::Used() const {
  timespec used{};
  ::clock_gettime(cpu_clock_, &used);
  return std::chrono::seconds{used.tv_sec} + nanoseconds{used.tv_nsec};
}

bool ChannelRunner::HasDied() const {
  pollfd handle{sandbox_->pidfd(), POLLIN, 0};
  return ::poll(&handle, 1, 0) > 0;
}

std::optional<RunnerFault> ChannelRunner::AwaitAnswer(std::uint32_t seen,
                                                      CallChannel::Time deadline,
                                                      const std::stop_token& stop) {
  const auto is_over = [&] {
    return stop.stop_requested() || SteadyClock::now() > deadline || HasDied();
  };
  if (channel_.AwaitOtherThan(seen, judge_has_cpu_, is_over)) return std::nullopt;
  using Kind = RunnerFault::Kind;
  if (HasDied()) return FaultOfDeath(*sandbox_, call_);
  if (stop.stop_requested()) return Stopped();
  sandbox_->Kill();
  return RunnerFault{Kind::kTimedOut, fmt::format("had not returned from call {} in time", call_),
                     ""};
}

std::optional<RunnerFault> ChannelRunner::AwaitLoaded(nanoseconds limit,
                                                      const std::stop_token& stop) {
  fault_ = AwaitAnswer(kAnswerNone, SteadyClock::now() + limit, stop);
  if (fault_) return fault_;
  last_answer_ = channel_.answer();
  used_at_end_ = Used();
  if (last_answer_ == kAnswerFailed) {
    fault_ = RunnerFault{RunnerFault::Kind::kNotLoaded, ErrorTextOf(channel_), ""};
  } else {
    fault_ = FaultOfAnswer(call_, last_answer_, kAnswerDone);
  }
  return fault_;
}

// Twice, because a thread that is about to sleep says so a moment before it leaves its processor
// and its time is counted. `since` becomes the time at which it was first seen asleep.
std::optional<RunnerFault> ChannelRunner::AwaitSleep(SteadyClock::time_point* since) {
  const auto began = SteadyClock::now();
  const nanoseconds used_before = Used();
  const auto works = [&] { return Used() - used_before > kMaxSettling / 2; };
  for (int looks = 0; looks < 2;) {
    const auto now = SteadyClock::now();
    if (!states_.AllSleep()) {
      looks = 0;
    } else if (++looks == 1 && since != nullptr) {
      *since = now;
    }
    if (looks > 0) continue;                                 // However long it took: they sleep.
    if (!judge_has_cpu_) std::this_thread::sleep_for(kNap);  // It may need ours.
    if (now > began + kMaxSettling && (works() || now > began + kMaxStarving)) {
      return RunnerFault{RunnerFault::Kind::kRestless,
                         fmt::format("was still working {} ms after it had answered call {}",
                                     kMaxSettling.count(), call_),
                         ""};
    }
  }
  return std::nullopt;
}

std::optional<RunnerFault> ChannelRunner::Arm(const std::stop_token& stop) {
  ++call_;
  if (auto forged = FaultOfAnswer(call_, channel_.answer(), last_answer_)) return forged;
  channel_.SetTurn(call_, kTurnArm, true);
  if (auto fault = AwaitAnswer(last_answer_, SteadyClock::now() + kMaxArming, stop)) return fault;
  if (auto forged = FaultOfAnswer(call_, channel_.answer(), call_ << 2 | kAnswerReady))
    return forged;
  return AwaitSleep(nullptr);
}

std::optional<RunnerFault> ChannelRunner::Publish(std::uint32_t what,
                                                  const std::function<void()>& lay,
                                                  nanoseconds limit, const std::stop_token& stop,
                                                  CallReport& report) {
  thread_local const RunDelay own_delay = RunDelay::OfThisThread();
  const nanoseconds runner_delay_before = delay_.Read();
  const nanoseconds own_delay_before = own_delay.Read();
  const nanoseconds used_before = Used();
  report.arming += used_before - used_at_end_;
  channel_.block().what = what;
  lay();
  report.outside = Used() - used_before;
  if (!states_.AllSleep()) report.outside = std::max(report.outside, nanoseconds{1});

  const auto began = SteadyClock::now();
  channel_.SetTurn(call_, kTurnCall, true);
  auto fault = AwaitAnswer(call_ << 2 | kAnswerReady, began + limit, stop);
  // Before the clock is read: what is worked between the two then counts twice, and not never.
  const nanoseconds used_at_done = has_one_cpu_ ? nanoseconds{0} : Used();
  const auto done = SteadyClock::now();
  if (fault) return fault;
  auto asleep = done;
  if (auto restless = AwaitSleep(&asleep)) return restless;
  const nanoseconds waited = delay_.Read() - runner_delay_before;
  used_at_end_ = Used();
  report.work = used_at_end_ - used_before;
  // What it does after "done" counts too. On one processor it is known to the nanosecond how much
  // that was. On several it is seen from outside until when, which says nothing finer than how
  // often we look; it took no longer than all of its threads together worked.
  report.time = done - began;
  if (has_one_cpu_) {
    report.busy = report.work + waited;
  } else {
    const nanoseconds seen = std::max(done, asleep) - done;
    report.time += std::min(seen, used_at_end_ - used_at_done);
  }
  report.delay = waited + own_delay.Read() - own_delay_before;
  return ReadAnswer(report);
}

// Somebody who slept when the time was taken and has woken since may have written while we read.
std::optional<RunnerFault> ChannelRunner::SeeWhatCollectingMissed(CallReport& report) {
  if (auto restless = AwaitSleep(nullptr)) return restless;
  const nanoseconds used = Used();
  report.outside += used - used_at_end_;
  used_at_end_ = used;
  return std::nullopt;
}

std::optional<RunnerFault> ChannelRunner::ReadAnswer(CallReport& report) {
  last_answer_ = channel_.answer();
  const CallBlock& block = channel_.block();
  report.claimed = nanoseconds{block.ended_ns - block.began_ns};
  if (last_answer_ == (call_ << 2 | kAnswerFailed)) {
    report.exception = ErrorTextOf(channel_);
    if (report.exception.empty()) report.exception = "it failed without a word";
    return std::nullopt;
  }
  if (auto forged = FaultOfAnswer(call_, last_answer_, call_ << 2 | kAnswerDone)) return forged;
  return FaultOfAnswer(call_, channel_.turn(), call_ << 2 | kTurnCall);
}

std::optional<RunnerFault> ChannelRunner::Exchange(std::uint32_t what,
                                                   const std::function<void()>& lay,
                                                   nanoseconds limit, const std::stop_token& stop,
                                                   CallReport& report) {
  if (auto fault = Arm(stop)) return fault;
  return Publish(what, lay, limit, stop, report);
}

// Where they will lie is told early only where tensors are made of it.
std::optional<RunnerFault> ChannelRunner::ExchangeArrays(std::uint32_t what, const CallOrder& order,
                                                         const Layout& layout, CallReport& report) {
  const bool is_told_early = order.outputs.empty();
  if (is_told_early) Describe(order, layout);
  const auto lay = [&] {
    if (!is_told_early) Describe(order, layout);
    Lay(order, layout);
  };
  return Exchange(what, lay, order.limit, order.stop, report);
}

Result<ChannelRunner::Layout> ChannelRunner::Arrange(const CallOrder& order) {
  const Rng rng(order.secret);
  Layout layout;
  layout.poison = PoisonFrom(rng.Split("poison").Next());
  layout.canary = rng.Split("canary").Next();
  layout.stack_shift = static_cast<std::uint32_t>(
      rng.Split("stack").Below(kMaxStackShift / kStackAlignment) * kStackAlignment);
  std::vector<std::size_t> bytes;
  for (const Tensor& input : order.inputs) {
    layout.slots.push_back({{}, &input, nullptr});
    bytes.push_back(input.bytes.size());
  }
  for (const TensorSpec& output : order.outputs) {
    layout.slots.push_back({{}, nullptr, &output});
    bytes.push_back(output.Bytes());
  }
  std::size_t arena = channel_.bytes() - kBlockBytes;
  if (order.outputs.empty()) {
    const std::size_t taken = std::min(arena, ArenaBytesFor(bytes));
    layout.free_bytes = arena - taken;
    arena = taken;
  }
  Rng random = rng.Split("places");
  layout.has_guards = order.has_guards && !order.outputs.empty();
  const auto places = layout.has_guards ? PlaceAgainstGuards(bytes, arena, random)
                                        : PlaceArrays(bytes, arena, random);
  if (!places || bytes.size() > kMaxTensors || order.sizes.size() > kMaxSizes) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("the arrays of a call do not fit into {} bytes",
                             channel_.bytes() - kBlockBytes)};
  }
  for (std::size_t i = 0; i < places->size(); ++i) layout.slots[i].place = (*places)[i];
  return layout;
}

// What the runner does by them when it is armed.
void ChannelRunner::SetGuards(const Layout& layout) {
  CallBlock& block = channel_.block();
  block.guards = 0;
  block.guard_bytes = static_cast<std::uint32_t>(PageBytes());
  block.fault_offset = 0;
  if (!layout.has_guards) return;
  for (const Layout::Slot& slot : layout.slots) {
    for (const std::uint64_t guard : GuardsOf(slot.place)) {
      block.guard[block.guards++] = kBlockBytes + guard;
    }
  }
}

// Which guard it says that it died of. A kernel may say anything there, of its own death.
std::string ChannelRunner::TextOfGuard(const Layout& layout) {
  const std::uint64_t offset = channel_.block().fault_offset;
  if (!layout.has_guards || offset < kBlockBytes) return "";
  const std::uint64_t at = offset - kBlockBytes;
  for (const Layout::Slot& slot : layout.slots) {
    const auto [before, behind] = GuardsOf(slot.place);
    const std::uint64_t end = slot.place.offset + slot.place.bytes;
    if (at >= behind && at - behind < PageBytes()) {
      return TextOfBeyond(slot.Spec().name, static_cast<std::int64_t>(at - end));
    }
    if (at >= before && at - before < PageBytes()) {
      return TextOfBeyond(slot.Spec().name, -static_cast<std::int64_t>(slot.place.offset - at));
    }
  }
  return "";
}

void ChannelRunner::Describe(const CallOrder& order, const Layout& layout) {
  CallBlock& block = channel_.block();
  block.inputs = static_cast<std::uint32_t>(order.inputs.size());
  block.outputs = static_cast<std::uint32_t>(order.outputs.size());
  block.sizes = static_cast<std::uint32_t>(order.sizes.size());
  block.stack_shift = layout.stack_shift;
  std::ranges::copy(order.sizes, block.size);
  block.free_bytes = layout.free_bytes;
  for (std::size_t i = 0; i < layout.slots.size(); ++i) {
    const Layout::Slot& slot = layout.slots[i];
    DescribeArray(slot.Spec(), kBlockBytes + slot.place.offset, slot.place.bytes, block.tensors[i]);
  }
}

void ChannelRunner::Lay(const CallOrder& order, const Layout& layout) {
  CallBlock& block = channel_.block();
  block.seed = order.seed;
  block.error_bytes = 0;
  for (const Layout::Slot& slot : layout.slots) {
    const std::size_t bytes = slot.place.bytes;
    std::byte* const at = channel_.at(kBlockBytes + slot.place.offset);
    FillPattern(at - kCanaryBytes, kCanaryBytes, layout.canary);
    FillPattern(at + bytes, kCanaryBytes, layout.canary);
    if (slot.input != nullptr) {
      std::memcpy(at, slot.input->bytes.data(), bytes);
    } else {
      FillPattern(at, bytes, layout.poison);
    }
    if (order.cache == CacheState::kCold) FlushLines(at, bytes);
  }
}

void ChannelRunner::Collect(const Layout& layout, CallReport& report) {
  report.poison = layout.poison;
  std::size_t input = 0;
  for (const Layout::Slot& slot : layout.slots) {
    const std::byte* const at = channel_.at(kBlockBytes + slot.place.offset);
    const std::size_t bytes = slot.place.bytes;
    if (slot.output != nullptr) {
      report.outputs.push_back({*slot.output, std::vector<std::byte>(at, at + bytes)});
    }
    if (slot.input != nullptr) {
      if (!report.changed) report.changed = FindChange(*slot.input, at, input);
      ++input;
    }
    if (!report.overrun) report.overrun = FindOverrun(slot.Spec().name, at, bytes, layout.canary);
  }
}

// Outputs that the runner decided on, from its own memory: what its table says is checked before it
// is used.
std::optional<RunnerFault> ChannelRunner::FetchOutputs(const Layout& layout, const CallOrder& order,
                                                       CallReport& report) {
  const auto forged = [&](std::string what) {
    return RunnerFault{RunnerFault::Kind::kForged,
                       fmt::format("the outputs of call {}: {}", call_, what), ""};
  };
  const CallBlock& block = channel_.block();
  const std::size_t first = layout.slots.size();
  const std::uint32_t outputs = block.outputs;
  if (outputs > kMaxTensors - first) return forged("too many");
  std::uint64_t left = layout.free_bytes;
  for (std::uint32_t i = 0; i < outputs; ++i) {
    const BlockTensor entry = block.tensors[first + i];
    if (entry.rank > kMaxDimensions || entry.dtype < 1 || entry.dtype > 10) {
      return forged("no such type or shape");
    }
    TensorSpec spec{fmt::format("output {}", i), static_cast<DType>(entry.dtype), {}};
    std::uint64_t bytes = SizeOf(spec.dtype);
    for (std::uint32_t d = 0; d < entry.rank; ++d) {
      if (entry.shape[d] < 0 ||
          __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(entry.shape[d]), &bytes)) {
        return forged("no such shape");
      }
      spec.shape.push_back(entry.shape[d]);
    }
    if (bytes > left) return forged("together larger than they may be");
    left -= bytes;
    const auto& wanted = order.wanted;
    const bool is_used = wanted.empty() || (i < wanted.size() && IsSameKind(spec, wanted[i]));
    Tensor output{std::move(spec), std::vector<std::byte>(is_used ? bytes : 0)};
    if (!memory_.Read(entry.offset, output.bytes)) {
      if (HasDied()) return FaultOfDeath(*sandbox_, call_);
      return forged("nothing can be read where they are said to be");
    }
    if (is_used && !memory_.IsWithoutAliases(entry.offset, bytes, order.stop)) {
      if (HasDied()) return FaultOfDeath(*sandbox_, call_);
      if (order.stop.stop_requested()) return Stopped();
      return forged(
          "they lie in memory that is mapped several times, or among more mappings than are "
          "looked at");
    }
    report.outputs.push_back(std::move(output));
  }
  return std::nullopt;
}

// What it works there is seen like all that it works before it is ready.
std::optional<RunnerFault> ChannelRunner::TimeNothing(const CallOrder& order, CallReport& report) {
  if (!order.times_nothing || !report.exception.empty()) return std::nullopt;
  CallReport empty;
  auto fault = Exchange(
      kCallNothing, [] {}, order.limit, order.stop, empty);
  report.exception = std::move(empty.exception);
  report.arming = empty.arming + empty.outside + empty.work;
  report.nothing = empty.time;
  report.nothing_busy = empty.busy;
  return fault;
}

Result<CallReport> ChannelRunner::Call(const CallOrder& order) {
  CallReport report;
  if (fault_) return Reported(std::move(report));
  auto layout = Arrange(order);
  if (!layout) return layout.error();
  SetGuards(*layout);
  fault_ = TimeNothing(order, report);
  if (!fault_ && report.exception.empty()) {
    fault_ = ExchangeArrays(kCallKernel, order, *layout, report);
  }
  if (!fault_ && report.exception.empty()) {
    Collect(*layout, report);
    if (order.outputs.empty()) fault_ = FetchOutputs(*layout, order, report);
    if (!fault_) fault_ = SeeWhatCollectingMissed(report);
  }
  if (fault_ && fault_->kind == RunnerFault::Kind::kCrashed) fault_->reason += TextOfGuard(*layout);
  if (!fault_ && order.counts_threads) report.threads = sandbox_->Threads();
  return Reported(std::move(report));
}

Result<CallReport> ChannelRunner::Reported(CallReport report) const {
  if (auto failure = FailureIn(fault_)) return *std::move(failure);
  report.fault = fault_;
  return report;
}

Result<CallReport> ChannelRunner::CallNothing() {
  CallReport report;
  if (!fault_)
    fault_ = Exchange(
        kCallNothing, [] {}, kMaxArming, {}, report);
  return Reported(std::move(report));
}

Result<CallReport> ChannelRunner::MakeInputs(std::uint64_t seed, nanoseconds limit) {
  CallReport report;
  CallOrder order;
  order.seed = seed;
  order.limit = limit;
  auto layout = Arrange(order);
  if (!layout) return layout.error();
  if (!fault_) fault_ = ExchangeArrays(kCallMakeInputs, order, *layout, report);
  if (!fault_ && report.exception.empty()) fault_ = FetchOutputs(*layout, order, report);
  return Reported(std::move(report));
}

void ChannelRunner::Pin(const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  judge_has_cpu_ = std::ranges::any_of(
      AllowedCpus(), [&](int cpu) { return std::ranges::find(cpus, cpu) == cpus.end(); });
  has_one_cpu_ = ::sched_setaffinity(pid_, sizeof(set), &set) == 0 && cpus.size() == 1;
  PutFirst(pid_);
}

std::optional<std::string> ChannelRunner::End() {
  sandbox_->Kill();
  const auto& result = sandbox_->Wait();
  if (result && result->is_processes_exceeded) {
    return "it tried to start more processes or threads than it may";
  }
  return std::nullopt;
}

HeldMemory ChannelRunner::Held() const {
  struct stat shared {};
  const bool is_known = ::fstat(channel_.descriptor(), &shared) == 0;
  constexpr std::size_t kBlock = 512;
  return {.own_bytes = (is_known ? static_cast<std::size_t>(shared.st_blocks) * kBlock : 0) +
                       PrivateMemoryOf(pid_)};
}

}  // namespace hone::compute
