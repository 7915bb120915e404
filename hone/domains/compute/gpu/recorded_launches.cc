// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/recorded_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "hone/domains/compute/gpu/cubin_kernels.h"
#include "hone/domains/compute/gpu/entry_recording.h"
#include "hone/domains/compute/workflows/arena.h"

namespace hone::compute {
namespace {

constexpr std::uint64_t kMaxRecordedScratch = std::uint64_t{1} << 36;

Error ForgedRecording(std::string_view what) {
  return {Errc::kCorrupt, fmt::format("the recording of the host code: {}", what)};
}

void AppendPart(std::string& text, std::string_view part) {
  const std::uint64_t bytes = part.size();
  text.append(reinterpret_cast<const char*>(&bytes), sizeof(bytes));
  text.append(part);
}

std::optional<std::string> TakePart(std::string_view& text) {
  std::uint64_t bytes = 0;
  if (text.size() < sizeof(bytes)) return std::nullopt;
  std::memcpy(&bytes, text.data(), sizeof(bytes));
  text.remove_prefix(sizeof(bytes));
  if (bytes > text.size()) return std::nullopt;
  std::string part(text.substr(0, bytes));
  text.remove_prefix(bytes);
  return part;
}

// What a recording may point into.
struct Room {
  std::size_t inputs = 0;
  std::vector<std::size_t> array_bytes;  // Of inputs and outputs.
  std::uint64_t scratch_bytes = 0;
};

bool IsAddress(const StepAddress& address, const Room& room) {
  if (address.kind == kAddressScratch) return address.which == 0 && room.scratch_bytes > 0;
  const bool is_input = address.which < room.inputs;
  return address.which < room.array_bytes.size() &&
         address.kind == (is_input ? kAddressInput : kAddressOutput);
}

// Whether `bytes` from there on lie in what it points into.
bool IsInside(const StepAddress& address, std::uint64_t bytes, const Room& room) {
  const std::uint64_t all =
      address.kind == kAddressScratch ? room.scratch_bytes : room.array_bytes[address.which];
  return address.offset >= 0 && bytes <= all &&
         static_cast<std::uint64_t>(address.offset) <= all - bytes;
}

// Our own runner does these, so they may touch nothing else.
Result<void> CheckMove(const Step& step, const Room& room) {
  const std::uint32_t wanted = step.kind == kStepFill ? 1 : 2;
  if (step.addresses != wanted) return ForgedRecording("a fill or copy without its addresses");
  for (std::uint32_t i = 0; i < wanted; ++i) {
    if (!IsInside(step.address[i], step.count, room)) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{} of {} bytes goes beyond its array",
                               step.kind == kStepFill ? "a fill" : "a copy", step.count)};
    }
  }
  if (step.address[0].kind == kAddressInput) {
    return Error{Errc::kInvalidArgument, "a fill or copy writes to an input"};
  }
  return {};
}

// Our runner asks a library for these, with numbers of theirs; the library checks them too.
Result<void> CheckProduct(const Step& step, const Problem& problem) {
  if (!problem.policy.libraries) return ForgedRecording("cuBLAS where no library is allowed");
  if (step.addresses != 3 || step.count != kProductAt + sizeof(MatrixProduct)) {
    return ForgedRecording("a product without its matrices");
  }
  for (std::uint32_t i = 0; i < step.addresses; ++i) {
    if (step.address[i].at != i * sizeof(std::uint64_t)) {
      return ForgedRecording("an address out of reach");
    }
  }
  if (step.address[2].kind == kAddressInput) {
    return Error{Errc::kInvalidArgument, "a product is written to an input"};
  }
  return {};
}

Result<void> CheckLaunch(const Step& step, std::size_t kernels) {
  if (step.function >= kernels || step.arguments > kMaxArguments ||
      step.count > kMaxArgumentBytes || step.is_cooperative > 1) {
    return ForgedRecording("a launch of no kernel");
  }
  for (std::uint32_t i = 0; i < step.arguments; ++i) {
    if (step.argument[i] >= kMaxArgumentBytes) return ForgedRecording("an argument out of reach");
  }
  for (std::uint32_t i = 0; i < step.addresses; ++i) {
    if (step.address[i].at > kMaxArgumentBytes - sizeof(std::uint64_t)) {
      return ForgedRecording("an address out of reach");
    }
  }
  return CheckGeometry({step.grid[0], step.grid[1], step.grid[2]},
                       {step.block[0], step.block[1], step.block[2]}, step.shared_bytes);
}

Result<void> CheckStep(const Step& step, const RecordingHeader& header, std::size_t kernels,
                       const Room& room, const Problem& problem) {
  if (step.stream > header.streams || step.addresses > kMaxAddresses) {
    return ForgedRecording("a step in no stream");
  }
  for (std::uint32_t i = 0; i < step.addresses; ++i) {
    if (!IsAddress(step.address[i], room)) return ForgedRecording("an address of no array");
  }
  switch (step.kind) {
    case kStepLaunch:
      return CheckLaunch(step, kernels);
    case kStepFill:
    case kStepCopy:
      return CheckMove(step, room);
    case kStepMark:
    case kStepAwait:
      if (step.which >= header.marks) return ForgedRecording("an event that was not made");
      return {};
    case kStepJoin:
      return {};
    case kStepMultiply:
      return CheckProduct(step, problem);
    default:
      return ForgedRecording("a step of no kind");
  }
}

Result<std::pair<RecordingHeader, std::vector<Step>>> ReadRecording(std::string_view bytes) {
  RecordingHeader header{};
  if (bytes.size() < sizeof(header)) return ForgedRecording("it is cut");
  std::memcpy(&header, bytes.data(), sizeof(header));
  bytes.remove_prefix(sizeof(header));
  if (header.magic != kRecordingMagic || header.steps == 0 || header.steps > kMaxSteps ||
      header.streams >= kMaxStreams || header.marks > kMaxMarks ||
      header.scratch_bytes > kMaxRecordedScratch || bytes.size() != header.steps * sizeof(Step)) {
    return ForgedRecording("its numbers do not fit");
  }
  std::vector<Step> steps(header.steps);
  std::memcpy(steps.data(), bytes.data(), bytes.size());
  return std::pair(header, std::move(steps));
}

}  // namespace

std::string PackEntryBuild(const EntryBuild& build) {
  std::string text;
  AppendPart(text, build.cubin);
  for (const std::string& recording : build.recordings) AppendPart(text, recording);
  return text;
}

Result<EntryBuild> UnpackEntryBuild(std::string_view bytes) {
  EntryBuild build;
  auto cubin = TakePart(bytes);
  if (!cubin) return ForgedRecording("the build is cut");
  build.cubin = std::move(*cubin);
  while (!bytes.empty()) {
    auto recording = TakePart(bytes);
    if (!recording) return ForgedRecording("the build is cut");
    build.recordings.push_back(std::move(*recording));
  }
  return build;
}

Result<RecordedLaunches> RecordedLaunches::Make(const EntryBuild& build, const Problem& problem,
                                                Precision precision) {
  const auto kernels = ReadCubinKernels(build.cubin);
  if (!kernels) return kernels.error();
  const auto shapes = ShapesOf(problem);
  if (shapes.size() != build.recordings.size()) return ForgedRecording("there is one too few");
  RecordedLaunches plan;
  const auto number_of = [&plan](const std::string& name) {
    const auto found = std::ranges::find(plan.functions_, name);
    const auto number = static_cast<std::uint32_t>(found - plan.functions_.begin());
    if (found == plan.functions_.end()) plan.functions_.push_back(name);
    return number;
  };
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    auto read = ReadRecording(build.recordings[i]);
    if (!read) return read.error();
    auto& [header, steps] = *read;
    Room room;
    room.inputs = problem.inputs.size();
    room.array_bytes = BytesOfArrays(problem.inputs, shapes[i], precision);
    const auto outputs = BytesOfArrays(problem.outputs, shapes[i], precision);
    room.array_bytes.insert(room.array_bytes.end(), outputs.begin(), outputs.end());
    room.scratch_bytes = header.scratch_bytes;
    for (Step& step : steps) {
      if (auto checked = CheckStep(step, header, kernels->size(), room, problem); !checked) {
        return checked.error();
      }
      plan.multiplies_ |= step.kind == kStepMultiply;
      if (step.kind == kStepLaunch) step.function = number_of((*kernels)[step.function].name);
    }
    plan.streams_ = std::max(plan.streams_, header.streams);
    plan.marks_ = std::max(plan.marks_, header.marks);
    plan.recordings_.push_back({shapes[i], header.scratch_bytes, std::move(steps)});
  }
  const bool is_too_long = std::ranges::any_of(
      plan.functions_, [](const std::string& name) { return name.size() >= kMaxFunctionName; });
  if (plan.functions_.size() > kMaxFunctions || is_too_long) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("more than {} kernels are launched, or one whose name has more than "
                             "{} characters",
                             kMaxFunctions, kMaxFunctionName)};
  }
  return plan;
}

const RecordedLaunches::Recording* RecordedLaunches::Find(const Sizes& sizes) const {
  const auto found = std::ranges::find(recordings_, sizes, &Recording::sizes);
  return found == recordings_.end() ? nullptr : &*found;
}

std::uint64_t RecordedLaunches::ScratchBytes(const Sizes& sizes) const {
  const Recording* const recording = Find(sizes);
  return recording == nullptr ? 0 : recording->scratch_bytes;
}

Result<void> RecordedLaunches::Fill(const Sizes& sizes, LaunchBlock& block) const {
  const Recording* const recording = Find(sizes);
  if (recording == nullptr) {
    return Error{Errc::kInvalidArgument, "its host code was not recorded for these sizes"};
  }
  block.steps = static_cast<std::uint32_t>(recording->steps.size());
  std::ranges::copy(recording->steps, block.step);
  return {};
}

}  // namespace hone::compute
