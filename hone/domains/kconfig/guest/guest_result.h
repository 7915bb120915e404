// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/kconfig/guest/guest_arch.h"

namespace hone::kernels {

// What one workload of the guest's program took.
struct WorkloadTime {
  std::int64_t calls = 0;
  double ns = 0;        // Of one call, by the processor's counter.
  double clock_ns = 0;  // The same, as the guest's kernel tells the time.
};

// What the measured command of a person's own workload came to.
struct CommandAnswer {
  int status = 0;  // As a shell has it: 128 and the signal if one ended it.
  std::string output;
  std::string log;  // The end of what it printed as errors, and of what the others printed.
};

// What a guest said, checked: it runs a kernel that wants to look good.
struct GuestResult {
  double booted_ns = 0;  // From the processor's first instruction to the first program.
  std::int64_t memory_total_kib = 0;
  std::int64_t memory_free_kib = 0;
  std::map<std::string, WorkloadTime> workloads;
  std::vector<std::string> missing;  // Workloads that this kernel cannot run at all.
  std::optional<CommandAnswer> command = {};
};

// Names of the workloads that the guest's program has.
const std::vector<std::string>& WorkloadNames();

// A task for the guest's program: what to set, then what to run.
std::string GuestTask(const std::string& nonce, const std::vector<std::string>& workloads,
                      const std::map<std::string, std::string>& sysctls);

// An Error says what is wrong with the answer: that it is none, another's, or that the kernel's
// clock and the processor's do not agree.
Result<GuestResult> ReadGuestResult(const std::string& text, const std::string& nonce,
                                    const GuestArch& arch);

}  // namespace hone::kernels
