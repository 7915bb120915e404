// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "hone/domains/compute/runner/call_channel.h"
#include "hone/domains/compute/runner/runner.h"
#include "hone/sandbox/running_sandbox.h"

// What the judge sees of a runner that speaks call_block.h, whatever its arrays lie in.
namespace hone::compute {

// Why its process ended; 0: while it was loaded. Waits until nothing of it is left. What it cannot
// have done itself is kEndedByOthers: a single process cannot send itself a SIGKILL.
RunnerFault FaultOfDeath(RunningSandbox& sandbox, std::uint32_t call);

// The Error that kEndedByOthers is to a caller; none for a fault of the runner's own.
std::optional<Error> FailureIn(const std::optional<RunnerFault>& fault);

// An answer that the protocol does not know at this point was not written by our runner.
std::optional<RunnerFault> FaultOfAnswer(std::uint32_t call, std::uint32_t answer,
                                         std::uint32_t wanted);

// What it wrote about its failure, cut.
std::string ErrorTextOf(CallChannel& channel);

// The entry of an array in the table of a call.
void DescribeArray(const TensorSpec& spec, std::uint64_t offset, std::size_t bytes,
                   BlockTensor& entry);

// The first element that is not what it was.
std::optional<ChangedInput> FindChange(const Tensor& before, const std::byte* now,
                                       std::size_t input);
// Looks at a part of it only.
std::optional<ChangedInput> FindChangeIn(const Tensor& before, const std::byte* now,
                                         std::size_t input, std::size_t first, std::size_t bytes);
// The same in a copy: what a runner can write to may be other bytes at every look, and at the
// second one none that differ.
std::optional<ChangedInput> FirstChange(const Tensor& before, const Tensor& after,
                                        std::size_t input);

// Which array a runner died of going beyond: `distance` is that of its beginning or its end from
// where it was touched. For a sentence that says that it died.
std::string TextOfBeyond(const std::string& array, std::int64_t distance);

// What was written over around an array.
std::optional<Overrun> FindOverrun(const std::string& array, const std::byte* at, std::size_t bytes,
                                   std::uint64_t canary);

}  // namespace hone::compute
