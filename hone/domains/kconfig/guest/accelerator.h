// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hone/core/result.h"
#include "hone/domains/kconfig/guest/guest_arch.h"

namespace hone::kernels {

inline constexpr char kKvmDevice[] = "/dev/kvm";

// Who executes a guest's instructions.
enum class Accelerator : std::uint8_t {
  kTcg,  // QEMU's translator: counts them, and says nothing about time.
  kKvm,  // The processor itself.
};

std::string_view NameOf(Accelerator accelerator);  // As ChooseAccelerator takes it.

// What of KVM is on this machine.
struct KvmSight {
  std::string machine;  // As `uname -m` says it.
  std::string fault;    // Why /dev/kvm cannot be used; empty if it can.
};
KvmSight LookForKvm();

// For "auto", "kvm" or "tcg". Instructions are counted by TCG alone; for time, auto takes KVM where
// it is and the guest's processor is this machine's. An Error says why KVM cannot be had.
Result<Accelerator> ChooseAccelerator(std::string_view wanted, bool counts_instructions,
                                      const GuestArch& arch, const KvmSight& here);

}  // namespace hone::kernels
