// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/knowledge/cpu_sets.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/knowledge/parameter_facts.h"

// Ranges as they are on one machine.
namespace hone::sysctl {

// What of the machine decides ranges.
struct MachineSizes {
  std::int64_t ram_bytes = 0;
  std::int64_t huge_page_bytes = 0;
  std::int64_t page_bytes = 4096;
  CpuLayout cpus;
};
MachineSizes ReadSizes(KernelFiles& files);

// The recommended range, with ends that depend on the memory, and sets of CPUs, resolved.
Kind SearchRangeOn(const ParameterFacts& facts, const MachineSizes& sizes);

struct HardRange {
  std::optional<std::int64_t> low;
  std::optional<std::int64_t> high;
};
HardRange HardRangeOn(const ParameterFacts& facts, const MachineSizes& sizes);

// What the kernel offers for this parameter, as it shows it or as another parameter lists it;
// empty where it does not say.
std::vector<std::string> OfferedChoices(KernelFiles& files, const ParameterFacts* facts,
                                        const std::string& path, Place place);

// How high the parameter may go on this device, where another parameter says so.
std::optional<std::int64_t> HighestHere(KernelFiles& files, const ParameterFacts* facts,
                                        const std::string& path);

// The range to search: what was asked for, or the recommended one, as far as the kernel offers it.
// An integer of a tuple that the knowledge base gives only one value stays as it is in force.
// Refused: a range of another kind, an empty or reversed one, one that leaves the hard range.
struct RangeRequest {
  const std::string& name;      // For messages.
  const ParameterFacts* facts;  // Null: unknown; then `given` is there.
  const std::optional<Kind>& given;
  const std::vector<std::string>& offered;
  const std::string& in_force;
  const MachineSizes& sizes;
  std::optional<std::int64_t> highest = std::nullopt;  // HighestHere.
};
Result<Kind> RangeFor(const RangeRequest& request);

// What a file of settings may set: a text that reads as the parameter's kind and that a range may
// hold, as RangeFor checks it. The words and numbers among its specials may be set too, and of
// choices any: which of them the kernel takes it says itself.
struct ValueRequest {
  const std::string& name;  // For messages.
  const ParameterFacts& facts;
  const std::string& text;
  const MachineSizes& sizes;
  std::optional<std::int64_t> highest = std::nullopt;  // HighestHere.
};
Result<void> CheckValue(const ValueRequest& request);

// Raises the low ends to what is in force. False: nothing is left to search.
bool RaiseOnly(Kind& kind, const Value& in_force);

// "a number", "on or off": for messages.
std::string_view NameOfKind(const Kind& kind);

}  // namespace hone::sysctl
