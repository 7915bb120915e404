// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/domains/sysctl/kernel/kernel_files.h"

// Sets of CPUs, as parameters name them: rps_cpus, smp_affinity.
namespace hone::sysctl {

struct CpuLayout {
  std::vector<int> online;              // In order. Empty: not known; CPU 0 is always there.
  std::vector<std::vector<int>> nodes;  // Of each NUMA node, in order.
  int possible = 1;                     // The kernel's masks have a bit for each of so many.
};
CpuLayout ReadCpus(KernelFiles& files);

// As the kernel shows it, CPU 0 in the lowest bit: "3" of two CPUs, "00000000,0000000f" of 64.
std::string MaskOf(const std::vector<int>& cpus, int possible);

// Each once: none if that means something, all, those of each node, each half, each CPU by itself
// as long as there are few.
std::vector<std::string> MasksToTry(const CpuLayout& layout, bool has_none);

}  // namespace hone::sysctl
