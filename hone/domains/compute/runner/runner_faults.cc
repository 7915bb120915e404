// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/runner_faults.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>

#include "hone/domains/compute/runner/placement.h"

namespace hone::compute {
namespace {

constexpr std::size_t kMaxErrorText = 4096;

std::string Tail(const std::string& text) {
  return text.size() <= kMaxErrorText ? text : text.substr(text.size() - kMaxErrorText);
}

}  // namespace

RunnerFault FaultOfDeath(RunningSandbox& sandbox, std::uint32_t call) {
  using Kind = RunnerFault::Kind;
  const auto& result = sandbox.Wait();
  const std::string when = call == 0 ? "while it was loaded" : fmt::format("in call {}", call);
  if (!result) return {Kind::kEndedByOthers, result.error().message, ""};
  const std::string output = Tail(result->errors);
  if (result->is_memory_exceeded) {
    return {Kind::kOutOfMemory, fmt::format("used more memory than it may {}", when), output};
  }
  switch (result->end) {
    case SandboxResult::End::kSignalled: {
      if (result->status == SIGKILL) {
        return {Kind::kEndedByOthers, fmt::format("was killed from outside {}", when), output};
      }
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

std::optional<Error> FailureIn(const std::optional<RunnerFault>& fault) {
  if (!fault || fault->kind != RunnerFault::Kind::kEndedByOthers) return std::nullopt;
  return Error{Errc::kUnavailable, "a runner: " + fault->reason};
}

std::optional<RunnerFault> FaultOfAnswer(std::uint32_t call, std::uint32_t answer,
                                         std::uint32_t wanted) {
  if (answer == wanted) return std::nullopt;
  return RunnerFault{
      RunnerFault::Kind::kForged,
      fmt::format("the control word of call {} holds {:#x}, where a runner writes {:#x}", call,
                  answer, wanted),
      ""};
}

std::string ErrorTextOf(CallChannel& channel) {
  CallBlock& block = channel.block();
  const std::size_t bytes = std::min<std::size_t>(block.error_bytes, kMaxErrorText);
  return {block.error, bytes};
}

void DescribeArray(const TensorSpec& spec, std::uint64_t offset, std::size_t bytes,
                   BlockTensor& entry) {
  entry = {};
  entry.offset = offset;
  entry.bytes = bytes;
  entry.dtype = static_cast<std::uint32_t>(spec.dtype);
  entry.rank = static_cast<std::uint32_t>(spec.shape.size());
  std::ranges::copy(spec.shape, entry.shape);
}

std::optional<ChangedInput> FindChange(const Tensor& before, const std::byte* now,
                                       std::size_t input) {
  return FindChangeIn(before, now, input, 0, before.bytes.size());
}

std::optional<ChangedInput> FindChangeIn(const Tensor& before, const std::byte* now,
                                         std::size_t input, std::size_t first, std::size_t bytes) {
  if (std::memcmp(before.bytes.data() + first, now + first, bytes) == 0) return std::nullopt;
  return FirstChange(before, {before.spec, {now, now + before.bytes.size()}}, input);
}

std::optional<ChangedInput> FirstChange(const Tensor& before, const Tensor& after,
                                        std::size_t input) {
  const auto found = std::ranges::mismatch(before.bytes, after.bytes).in1;
  if (found == before.bytes.end()) return std::nullopt;
  const auto index = static_cast<std::int64_t>(
      static_cast<std::size_t>(found - before.bytes.begin()) / SizeOf(before.spec.dtype));
  return ChangedInput{input, index, ElementAt(before, index), ElementAt(after, index)};
}

std::string TextOfBeyond(const std::string& array, std::int64_t distance) {
  return distance < 0
             ? fmt::format(": it read or wrote {} bytes before {}", -distance, array)
             : fmt::format(": it read or wrote {} bytes behind the end of {}", distance + 1, array);
}

std::optional<Overrun> FindOverrun(const std::string& array, const std::byte* at, std::size_t bytes,
                                   std::uint64_t canary) {
  if (const auto before = FirstChanged(at - kCanaryBytes, kCanaryBytes, canary)) {
    return Overrun{array,
                   static_cast<std::int64_t>(*before) - static_cast<std::int64_t>(kCanaryBytes)};
  }
  if (const auto behind = FirstChanged(at + bytes, kCanaryBytes, canary)) {
    return Overrun{array, static_cast<std::int64_t>(*behind)};
  }
  return std::nullopt;
}

}  // namespace hone::compute
