// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/accelerator.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "hone/base/descriptor.h"

namespace hone::kernels {
namespace {

std::string FaultOfKvm() {
  const Descriptor device(::open(kKvmDevice, O_RDWR | O_CLOEXEC));
  if (!device.is_open()) {
    return fmt::format("{}: {}", kKvmDevice, std::generic_category().message(errno));
  }
  // A guest's sandbox is another user where we are root.
  struct stat status {};
  constexpr mode_t kAll = S_IROTH | S_IWOTH;
  if (::geteuid() == 0 && (::fstat(device.get(), &status) != 0 || (status.st_mode & kAll) != kAll))
    return fmt::format("{}: guests run as nobody and may not open it (chmod a+rw {})", kKvmDevice,
                       kKvmDevice);
  return "";
}

// Why a guest of this processor cannot be run by KVM here; empty if it can.
std::string FaultFor(const GuestArch& arch, const KvmSight& here) {
  if (arch.machine != here.machine) {
    return fmt::format("a guest for {} on a machine that is {}", arch.machine, here.machine);
  }
  return here.fault;
}

}  // namespace

KvmSight LookForKvm() { return {MachineHere(), FaultOfKvm()}; }

std::string_view NameOf(Accelerator accelerator) {
  return accelerator == Accelerator::kKvm ? "kvm" : "tcg";
}

Result<Accelerator> ChooseAccelerator(std::string_view wanted, bool counts_instructions,
                                      const GuestArch& arch, const KvmSight& here) {
  const std::string fault = FaultFor(arch, here);
  if (wanted != "kvm") {
    const bool takes_kvm = wanted == "auto" && !counts_instructions && fault.empty();
    return takes_kvm ? Accelerator::kKvm : Accelerator::kTcg;
  }
  if (counts_instructions) {
    return Error{Errc::kInvalidArgument,
                 "accelerator=kvm: instructions are counted by TCG alone; with measure=time it is "
                 "possible"};
  }
  if (!fault.empty()) {
    return Error{Errc::kUnsupported, fmt::format("accelerator=kvm: not here: {}", fault)};
  }
  return Accelerator::kKvm;
}

}  // namespace hone::kernels
