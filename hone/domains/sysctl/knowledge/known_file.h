// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/kernel/parameter_path.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"

namespace hone::sysctl {

// What is known of the file that a write to `path` changes: whoever is about to allow one asks
// here. Null: nothing. sysfs shows one file at many paths, and none of them is a way around what is
// known of it, so the Error of another one says which to use. Refused too: what nothing is known of
// and what is no parameter but an action, below /sys/kernel, /sys/bus and the like.
Result<const ParameterFacts*> FactsOfFile(KernelFiles& files, const Knowledge& knowledge,
                                          const ParameterPath& path);

// What else a write to `path` is known to change, of what is there now: the scheduler's own
// parameters, while it is in force.
std::vector<std::string> ChangedWith(KernelFiles& files, const ParameterFacts& facts,
                                     const std::string& path);

// Whether a parameter stays as it is though it moved beside a write of ours and nothing says why:
// denied ones, and of sysctl what nothing is known of. Somebody else may have set it in that
// moment, and for the sake of security.
bool IsLeftAlone(KernelFiles& files, const Knowledge& knowledge, const std::string& path);

}  // namespace hone::sysctl
