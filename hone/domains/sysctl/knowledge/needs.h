// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/knowledge/parameter_facts.h"

// What a parameter does nothing without (`needs` in data/parameters/).
namespace hone::sysctl {

// Whether a need is a word for something of the machine; else it names a parameter.
bool IsMachineNeed(const std::string& need);

// "swap", "several NUMA nodes", "net.ipv4.tcp_timestamps not off".
std::string TextOfNeed(const std::string& need);

// A need that this machine does not meet now.
struct UnmetNeed {
  std::string need;
  std::string why;  // "this machine has no swap", "net.ipv4.tcp_timestamps is 0"
};

// What cannot be read counts as met: nothing is known then.
std::vector<UnmetNeed> FindUnmetNeeds(KernelFiles& files, const ParameterFacts& facts);

}  // namespace hone::sysctl
