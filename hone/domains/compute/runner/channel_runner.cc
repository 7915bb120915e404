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
#include <utility>

#include "hone/base/host.h"

namespace hone::compute {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr std::size_t kPeeks = 64;  // Elements that are looked at twice.
constexpr std::size_t kMaxFreePoison = 16 << 20;
constexpr std::size_t kMaxFreeFlush = 64 << 20;  // What is larger is in no cache.
constexpr std::size_t kMaxErrorText = 4096;
constexpr std::chrono::seconds kMaxArming{10};
constexpr std::chrono::microseconds kAway{5};  // So long without the processor is noticed.
constexpr std::chrono::milliseconds kMaxWatched{
    10};  // Later the judge may be asleep by its own will.

std::string Tail(const std::string& text) {
  return text.size() <= kMaxErrorText ? text : text.substr(text.size() - kMaxErrorText);
}

void Describe(const TensorSpec& spec, std::uint64_t offset, std::size_t bytes, BlockTensor& entry) {
  entry = {};
  entry.offset = offset;
  entry.bytes = bytes;
  entry.dtype = static_cast<std::uint32_t>(spec.dtype);
  entry.rank = static_cast<std::uint32_t>(spec.shape.size());
  std::ranges::copy(spec.shape, entry.shape);
}

nanoseconds OwnCpuTime() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds{used.tv_sec} + nanoseconds{used.tv_nsec};
}

// Some bytes of an output, right after "done": what they are later must be the same.
class Peek {
 public:
  Peek(const std::byte* at, std::size_t bytes, Rng& rng) : at_(at) {
    for (std::size_t& place : places_) place = bytes == 0 ? 0 : rng.Below(bytes);
    for (std::size_t i = 0; i < kPeeks && bytes > 0; ++i) {
      seen_[i] = *static_cast<const volatile std::byte*>(at_ + places_[i]);
    }
    is_empty_ = bytes == 0;
  }

  std::optional<std::size_t> FirstOther(const std::vector<std::byte>& later) const {
    for (std::size_t i = 0; i < kPeeks && !is_empty_; ++i) {
      if (later[places_[i]] != seen_[i]) return places_[i];
    }
    return std::nullopt;
  }

 private:
  const std::byte* at_;
  std::array<std::size_t, kPeeks> places_{};
  std::array<std::byte, kPeeks> seen_{};
  bool is_empty_ = false;
};

std::optional<ChangedInput> FindChange(const Tensor& before, const std::byte* now,
                                       std::size_t input) {
  if (std::memcmp(before.bytes.data(), now, before.bytes.size()) == 0) return std::nullopt;
  Tensor after{before.spec, std::vector<std::byte>(now, now + before.bytes.size())};
  const std::size_t size = SizeOf(before.spec.dtype);
  const auto found = std::ranges::mismatch(before.bytes, after.bytes).in1;
  const auto index =
      static_cast<std::int64_t>(static_cast<std::size_t>(found - before.bytes.begin()) / size);
  return ChangedInput{input, index, ElementAt(before, index), ElementAt(after, index)};
}

}  // namespace

struct ChannelRunner::Layout {
  std::vector<Place> places;  // Inputs, then outputs, or one region for them.
  std::uint64_t poison = 0;
  std::uint64_t canary = 0;
  Rng peeks{0};
};

ChannelRunner::ChannelRunner(std::unique_ptr<RunningSandbox> sandbox, CallChannel channel,
                             pid_t pid)
    : sandbox_(std::move(sandbox)), channel_(std::move(channel)), pid_(pid) {
  clockid_t clock{};
  if (pid > 0 && ::clock_getcpuclockid(pid, &clock) == 0) cpu_clock_ = clock;
}

ChannelRunner::~ChannelRunner() {
  if (sandbox_) sandbox_->Kill();
}

nanoseconds ChannelRunner::CpuTime() const {
  timespec used{};
  if (!cpu_clock_ || ::clock_gettime(*cpu_clock_, &used) != 0) return nanoseconds{-1};
  return std::chrono::seconds{used.tv_sec} + nanoseconds{used.tv_nsec};
}

bool ChannelRunner::HasDied() const {
  pollfd handle{sandbox_->pidfd(), POLLIN, 0};
  return ::poll(&handle, 1, 0) > 0;
}

RunnerFault ChannelRunner::FaultOfDeath() {
  using Kind = RunnerFault::Kind;
  const auto& result = sandbox_->Wait();
  const std::string when = call_ == 0 ? "while it was loaded" : fmt::format("in call {}", call_);
  if (!result) return {Kind::kCrashed, result.error().message, ""};
  const std::string output = Tail(result->errors);
  if (result->is_memory_exceeded) {
    return {Kind::kOutOfMemory, fmt::format("used more memory than it may {}", when), output};
  }
  switch (result->end) {
    case SandboxResult::End::kSignalled: {
      const char* name = ::sigabbrev_np(result->status);
      return {Kind::kCrashed, fmt::format("died by SIG{} {}", name != nullptr ? name : "?", when),
              output};
    }
    case SandboxResult::End::kTimedOut:
      return {Kind::kTimedOut, fmt::format("was still running at its limit {}", when), output};
    case SandboxResult::End::kStopped:
      return {Kind::kStopped, "was asked to stop", output};
    case SandboxResult::End::kExited:
      break;
  }
  return {Kind::kCrashed, fmt::format("its process ended with status {} {}", result->status, when),
          output};
}

std::optional<RunnerFault> ChannelRunner::AwaitAnswer(std::uint32_t seen,
                                                      CallChannel::Time deadline,
                                                      const std::stop_token& stop) {
  const auto is_over = [&] {
    return stop.stop_requested() || Clock::now() > deadline || HasDied();
  };
  if (channel_.AwaitOtherThan(seen, is_over)) return std::nullopt;
  using Kind = RunnerFault::Kind;
  if (HasDied()) return FaultOfDeath();
  if (stop.stop_requested()) return RunnerFault{Kind::kStopped, "was asked to stop", ""};
  sandbox_->Kill();
  return RunnerFault{Kind::kTimedOut, fmt::format("had not returned from call {} in time", call_),
                     ""};
}

// An answer that the protocol does not know at this point was not written by our runner.
std::optional<RunnerFault> ChannelRunner::Refuse(std::uint32_t answer, std::uint32_t wanted) {
  if (answer == wanted) return std::nullopt;
  return RunnerFault{
      RunnerFault::Kind::kForged,
      fmt::format("the control word of call {} holds {:#x}, where a runner writes {:#x}", call_,
                  answer, wanted),
      ""};
}

std::string ChannelRunner::ErrorText() {
  CallBlock& block = channel_.block();
  const std::size_t bytes = std::min<std::size_t>(block.error_bytes, kMaxErrorText);
  return {block.error, bytes};
}

std::optional<RunnerFault> ChannelRunner::AwaitLoaded(nanoseconds limit,
                                                      const std::stop_token& stop) {
  fault_ = AwaitAnswer(kAnswerNone, Clock::now() + limit, stop);
  if (fault_) return fault_;
  last_answer_ = channel_.answer();
  if (last_answer_ == kAnswerFailed) {
    fault_ = RunnerFault{RunnerFault::Kind::kNotLoaded, ErrorText(), ""};
  } else {
    fault_ = Refuse(last_answer_, kAnswerDone);
  }
  return fault_;
}

std::optional<RunnerFault> ChannelRunner::Exchange(std::uint32_t what, nanoseconds limit,
                                                   const std::stop_token& stop,
                                                   CallReport& report) {
  ++call_;
  channel_.block().what = what;
  if (auto forged = Refuse(channel_.answer(), last_answer_)) return forged;
  const nanoseconds at_arm = CpuTime();
  if (at_arm.count() >= 0 && cpu_at_arm_.count() >= 0) report.work = at_arm - cpu_at_arm_;
  cpu_at_arm_ = at_arm;
  const nanoseconds own_at_arm = OwnCpuTime();
  const auto armed = Clock::now();
  channel_.SetTurn(call_, kTurnArm, true);
  if (auto fault = AwaitAnswer(last_answer_, Clock::now() + kMaxArming, stop)) return fault;
  const std::uint32_t ready = call_ << 2 | kAnswerReady;
  if (auto forged = Refuse(channel_.answer(), ready)) return forged;

  const nanoseconds own = OwnCpuTime() - own_at_arm;
  const auto began = Clock::now();
  report.was_judge_away = began - armed > own + kAway && began - armed < kMaxWatched;
  channel_.SetTurn(call_, kTurnCall, true);
  auto fault = AwaitAnswer(ready, began + limit, stop);
  const auto ended = Clock::now();
  if (fault) return fault;
  report.time = ended - began;
  last_answer_ = channel_.answer();
  CallBlock& block = channel_.block();
  report.claimed = nanoseconds{block.ended_ns - block.began_ns};
  if (last_answer_ == (call_ << 2 | kAnswerFailed)) {
    report.exception = ErrorText();
    if (report.exception.empty()) report.exception = "it failed without a word";
    return std::nullopt;
  }
  if (auto forged = Refuse(last_answer_, call_ << 2 | kAnswerDone)) return forged;
  return Refuse(channel_.turn(), call_ << 2 | kTurnCall);
}

Result<ChannelRunner::Layout> ChannelRunner::Arrange(const CallOrder& order) {
  const Rng rng(order.secret);
  Layout layout;
  layout.poison = PoisonFrom(rng.Split("poison").Next());
  layout.canary = rng.Split("canary").Next();
  layout.peeks = rng.Split("peeks");
  std::vector<std::size_t> bytes;
  for (const Tensor& input : order.inputs) bytes.push_back(input.bytes.size());
  for (const TensorSpec& output : order.outputs) bytes.push_back(output.Bytes());
  const std::size_t arena = channel_.bytes() - kBlockBytes;
  if (order.outputs.empty()) {
    const std::size_t taken = ArenaBytesFor(bytes);
    bytes.push_back(taken + kAlignment < arena ? (arena - taken) / kAlignment * kAlignment : 0);
  }
  Rng places = rng.Split("places");
  auto found = PlaceArrays(bytes, arena, places);
  if (!found || bytes.size() > kMaxTensors || order.sizes.size() > kMaxSizes) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("the arrays of a call do not fit into {} bytes", arena)};
  }
  layout.places = std::move(*found);
  return layout;
}

void ChannelRunner::Lay(const CallOrder& order, const Layout& layout) {
  CallBlock& block = channel_.block();
  block.inputs = static_cast<std::uint32_t>(order.inputs.size());
  block.outputs = static_cast<std::uint32_t>(order.outputs.size());
  block.sizes = static_cast<std::uint32_t>(order.sizes.size());
  std::ranges::copy(order.sizes, block.size);
  block.error_bytes = 0;
  block.free_offset = block.free_bytes = 0;
  for (std::size_t i = 0; i < layout.places.size(); ++i) {
    const Place& place = layout.places[i];
    const std::uint64_t offset = kBlockBytes + place.offset;
    std::byte* const at = channel_.at(offset);
    FillPattern(at - kCanaryBytes, kCanaryBytes, layout.canary);
    FillPattern(at + place.bytes, kCanaryBytes, layout.canary);
    if (i < order.inputs.size()) {
      std::memcpy(at, order.inputs[i].bytes.data(), place.bytes);
      Describe(order.inputs[i].spec, offset, place.bytes, block.tensors[i]);
    } else if (!order.outputs.empty()) {
      FillPattern(at, place.bytes, layout.poison);
      Describe(order.outputs[i - order.inputs.size()], offset, place.bytes, block.tensors[i]);
    } else {
      FillPattern(at, std::min(place.bytes, kMaxFreePoison), layout.poison);
      block.free_offset = offset;
      block.free_bytes = place.bytes;
    }
    const bool is_free = i >= order.inputs.size() && order.outputs.empty();
    const std::size_t flushed = is_free ? std::min(place.bytes, kMaxFreeFlush) : place.bytes;
    if (order.cache == CacheState::kCold) FlushLines(at, flushed);
  }
}

void ChannelRunner::Collect(const CallOrder& order, const Layout& layout, CallReport& report) {
  report.poison = layout.poison;
  const std::size_t first = order.inputs.size();
  std::vector<Peek> peeks;
  Rng rng = layout.peeks;
  for (std::size_t i = 0; i < order.outputs.size(); ++i) {
    const Place& place = layout.places[first + i];
    peeks.emplace_back(channel_.at(kBlockBytes + place.offset), place.bytes, rng);
  }
  for (std::size_t i = 0; i < order.outputs.size(); ++i) {
    const Place& place = layout.places[first + i];
    const std::byte* const at = channel_.at(kBlockBytes + place.offset);
    Tensor output{order.outputs[i], std::vector<std::byte>(at, at + place.bytes)};
    if (const auto other = peeks[i].FirstOther(output.bytes); other && !report.still_moving) {
      const auto index = static_cast<std::int64_t>(*other / SizeOf(output.spec.dtype));
      report.still_moving = output.spec.name + IndexText(output.spec.shape, index);
    }
    report.outputs.push_back(std::move(output));
  }
  for (std::size_t i = 0; i < order.inputs.size() && !report.changed; ++i) {
    report.changed =
        FindChange(order.inputs[i], channel_.at(kBlockBytes + layout.places[i].offset), i);
  }
  for (std::size_t i = 0; i < layout.places.size() && !report.overrun; ++i) {
    const bool is_free = order.outputs.empty() && i >= first;
    const std::string name = i < first ? order.inputs[i].spec.name
                             : is_free ? "outputs"
                                       : order.outputs[i - first].name;
    const Place& place = layout.places[i];
    const std::byte* const at = channel_.at(kBlockBytes + place.offset);
    const auto before = FirstChanged(at - kCanaryBytes, kCanaryBytes, layout.canary);
    const auto behind = FirstChanged(at + place.bytes, kCanaryBytes, layout.canary);
    if (before) {
      report.overrun = Overrun{
          name, static_cast<std::int64_t>(*before) - static_cast<std::int64_t>(kCanaryBytes)};
    } else if (behind) {
      report.overrun = Overrun{name, static_cast<std::int64_t>(*behind)};
    }
  }
}

// Outputs that the runner decided on: what its table says is checked before it is used.
std::optional<RunnerFault> ChannelRunner::CollectFree(const Place& region,
                                                      std::span<const TensorSpec> wanted,
                                                      CallReport& report) {
  const auto forged = [&](std::string what) {
    return RunnerFault{RunnerFault::Kind::kForged,
                       fmt::format("the outputs of call {}: {}", call_, what), ""};
  };
  const CallBlock& block = channel_.block();
  const std::uint32_t inputs = block.inputs;
  const std::uint32_t outputs = block.outputs;
  if (inputs > kMaxTensors || outputs > kMaxTensors - inputs) return forged("too many");
  const std::uint64_t begin = kBlockBytes + region.offset;
  std::uint64_t left = region.bytes;  // They lie side by side, so together they fit as well.
  for (std::uint32_t i = 0; i < outputs; ++i) {
    const BlockTensor entry = block.tensors[inputs + i];
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
    if (bytes > region.bytes || entry.offset < begin ||
        entry.offset - begin > region.bytes - bytes) {
      return forged("outside of their place");
    }
    if (bytes > left) return forged("together larger than their place");
    left -= bytes;
    const bool is_used = wanted.empty() || (i < wanted.size() && IsSameKind(spec, wanted[i]));
    const std::byte* const at = channel_.at(entry.offset);
    report.outputs.push_back(
        {std::move(spec), std::vector<std::byte>(at, at + (is_used ? bytes : 0))});
  }
  return std::nullopt;
}

Result<CallReport> ChannelRunner::Call(const CallOrder& order) {
  CallReport report;
  report.fault = fault_;
  if (fault_) return report;
  auto layout = Arrange(order);
  if (!layout) return layout.error();
  Lay(order, *layout);
  fault_ = Exchange(kCallKernel, order.limit, order.stop, report);
  if (!fault_ && report.exception.empty()) {
    Collect(order, *layout, report);
    if (order.outputs.empty()) {
      fault_ = CollectFree(layout->places.back(), order.wanted, report);
    }
  }
  if (!fault_ && order.counts_threads) report.threads = sandbox_->Threads();
  report.fault = fault_;
  return report;
}

Result<CallReport> ChannelRunner::CallNothing() {
  CallReport report;
  if (!fault_) fault_ = Exchange(kCallNothing, kMaxArming, {}, report);
  report.fault = fault_;
  return report;
}

Result<CallReport> ChannelRunner::MakeInputs(std::uint64_t seed, nanoseconds limit) {
  CallReport report;
  const CallOrder order;
  auto layout = Arrange(order);
  if (!layout) return layout.error();
  Lay(order, *layout);
  channel_.block().seed = seed;
  if (!fault_) fault_ = Exchange(kCallMakeInputs, limit, {}, report);
  if (!fault_ && report.exception.empty()) {
    fault_ = CollectFree(layout->places.back(), {}, report);
  }
  report.fault = fault_;
  return report;
}

void ChannelRunner::Pin(const std::vector<int>& cpus) {
  if (pid_ <= 0 || cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  ::sched_setaffinity(pid_, sizeof(set), &set);
}

std::optional<std::string> ChannelRunner::End() {
  sandbox_->Kill();
  const auto& result = sandbox_->Wait();
  if (result && result->is_processes_exceeded) {
    return "it tried to start more processes or threads than it may";
  }
  return std::nullopt;
}

std::size_t ChannelRunner::HeldBytes() const {
  struct stat shared {};
  const bool is_known = ::fstat(channel_.descriptor(), &shared) == 0;
  constexpr std::size_t kBlock = 512;
  return (is_known ? static_cast<std::size_t>(shared.st_blocks) * kBlock : 0) +
         PrivateMemoryOf(pid_);
}

}  // namespace hone::compute
