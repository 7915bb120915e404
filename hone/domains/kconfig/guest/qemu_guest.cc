// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/qemu_guest.h"

#include <fmt/format.h>

#include <utility>

#include "hone/base/process/find_program.h"
#include "hone/domains/kconfig/build/kernel_setup.h"
#include "hone/sandbox/sandbox.h"

namespace hone::kernels {
namespace {

constexpr char kImage[] = "/kernel";
constexpr char kDisk[] = "/disk";
constexpr char kResultFile[] = "result";
constexpr int kConsoleInside = 3;  // The first descriptor that a sandbox is given.
constexpr std::size_t kMaxResult = 1 << 20;
constexpr std::int64_t kMibOfQemu = 640;  // Besides the guest's own: translated code above all.

std::string CommandLineOf(const GuestOrder& order) {
  std::string line = fmt::format("console={} panic=-1 oops=panic {} {}", order.arch.serial,
                                 order.arch.reboot, order.command_line);
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

// For the initramfs, and for what the guest changes in its disk.
std::int64_t ScratchMib(const GuestOrder& order) {
  constexpr std::int64_t kBesides = 64;
  constexpr std::int64_t kDiskChanges = 512;
  const auto archive = static_cast<std::int64_t>(order.initramfs.size() >> 20);
  return kBesides + archive + (order.disk.empty() ? 0 : kDiskChanges);
}

}  // namespace

std::vector<std::string> QemuArguments(const GuestOrder& order) {
  std::vector<std::string> arguments{order.arch.qemu};
  const auto add = [&](std::initializer_list<std::string> more) {
    arguments.insert(arguments.end(), more);
  };
  const bool has_kvm = order.accelerator == Accelerator::kKvm;
  const std::string& cpu = has_kvm ? order.arch.kvm_cpu : order.arch.qemu_cpu;
  add({"-machine", has_kvm ? order.arch.kvm_machine : order.arch.qemu_machine});
  add({"-accel", has_kvm ? "kvm" : "tcg"});
  if (!cpu.empty()) add({"-cpu", cpu});
  add({"-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-smp", "1", "-m",
       std::to_string(order.memory_mib), "-seed", std::to_string(order.seed)});
  if (order.counts_instructions) {
    add({"-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01,clock=vm"});
  }
  if (order.console >= 0) {  // With "mux", Ctrl-A x ends QEMU.
    add({"-chardev", fmt::format("socket,id=console,fd={},mux=on", kConsoleInside), "-serial",
         "chardev:console"});
  } else {
    add({"-serial", "stdio"});
  }
  add({"-monitor", "none"});
  add({"-chardev", fmt::format("file,id=result,path=/scratch/{}", kResultFile), "-device",
       order.arch.port, "-device", "virtserialport,chardev=result,name=hone"});
  if (!order.disk.empty()) {
    const std::string bus = order.arch.port.substr(order.arch.port.rfind('-'));
    add({"-drive", fmt::format("file={},if=none,id=disk,format=raw,snapshot=on", kDisk), "-device",
         "virtio-blk" + bus + ",drive=disk"});
  }
  add({"-kernel", kImage, "-initrd", "/scratch/initramfs", "-append", CommandLineOf(order)});
  return arguments;
}

namespace {

class QemuGuest final : public Guest {
 public:
  Result<GuestReport> Boot(const GuestOrder& order) override {
    if (!FindProgram(order.arch.qemu, SearchPath())) {
      return Error{Errc::kUnavailable,
                   fmt::format("{} is missing; apt-get install --no-install-recommends {}",
                               order.arch.qemu, PackageToBoot(order.arch).package)};
    }
    SandboxCommand command;
    command.arguments = QemuArguments(order);
    if (order.accelerator == Accelerator::kKvm) command.kvm_node = kKvmDevice;
    command.environment = StandardEnvironment();
    command.views = StandardViews();
    command.views.push_back({order.image, kImage});
    if (!order.disk.empty()) command.views.push_back({order.disk, kDisk});
    command.files = {{"initramfs", order.initramfs}};
    if (order.console >= 0) command.descriptors = {order.console};
    command.keep = {kResultFile};
    command.max_kept = kMaxResult;
    command.limits.memory_mib = order.memory_mib + kMibOfQemu + ScratchMib(order);
    command.limits.scratch_mib = ScratchMib(order);
    command.limits.wall = order.limit;
    command.stop = order.stop;
    auto ran = RunInSandbox(command);
    if (!ran) return ran.error();
    return Report(*ran, order.stop.stop_requested());
  }

 private:
  static Result<GuestReport> Report(SandboxResult& ran, bool is_stopped) {
    const bool is_late = ran.end == SandboxResult::End::kTimedOut;
    if (!is_late && !is_stopped && (ran.end != SandboxResult::End::kExited || ran.status != 0)) {
      return Error{Errc::kUnavailable,
                   fmt::format("QEMU failed ({} {}): {}",
                               ran.end == SandboxResult::End::kExited ? "status" : "signal",
                               ran.status, ran.errors)};
    }
    const auto result = ran.files.find(kResultFile);
    const bool has_result = result != ran.files.end() && !result->second.empty();
    GuestReport report = JudgeGuest({std::move(ran.output), has_result, !is_late});
    if (is_stopped) report.end = GuestEnd::kStopped;
    if (has_result) report.result = std::move(result->second);
    report.wall = std::chrono::duration_cast<std::chrono::milliseconds>(ran.wall);
    return report;
  }
};

}  // namespace

std::unique_ptr<Guest> MakeQemuGuest() { return std::make_unique<QemuGuest>(); }

}  // namespace hone::kernels
