// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/kernels.h"

#include "hone/learn/kernel_levels.h"

namespace hone::learn {
namespace {

#ifdef HONE_X86_KERNELS
bool HasAvx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

bool HasAvx512() {
  return HasAvx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}
#endif

std::vector<KernelLevel> FindLevels() {
  std::vector<KernelLevel> levels;
  const auto add = [&](const char* name, const KernelPair& kernels) {
    levels.push_back({name, kernels.single, kernels.twofold});
  };
#ifdef HONE_X86_KERNELS
  if (HasAvx512()) add("avx512", Avx512Kernels());
  if (HasAvx2()) add("avx2", Avx2Kernels());
#endif
#ifdef HONE_NEON_KERNELS
  add("neon", NeonKernels());  // Every 64-bit ARM has it.
#endif
  add("plain", PlainKernels());
  return levels;
}

}  // namespace

const std::vector<KernelLevel>& AvailableKernels() {
  static const std::vector<KernelLevel> levels = FindLevels();
  return levels;
}

}  // namespace hone::learn
