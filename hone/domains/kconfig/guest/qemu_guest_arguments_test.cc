// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/domains/kconfig/guest/qemu_guest.h"

namespace hone::kernels {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

GuestOrder OrderFor(const char* arch) {
  GuestOrder order;
  order.arch = GuestArchNamed(arch).value();
  return order;
}

// What follows an argument; empty if it is not there.
std::string After(const std::vector<std::string>& arguments, const std::string& name) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == name) return arguments[i + 1];
  }
  return "";
}

TEST(QemuArgumentsTest, InstructionsAreCountedByTcgWithASeed) {
  GuestOrder order = OrderFor("arm64");
  order.counts_instructions = true;
  order.seed = 7;
  const auto arguments = QemuArguments(order);
  EXPECT_EQ(arguments.front(), "qemu-system-aarch64");
  EXPECT_EQ(After(arguments, "-accel"), "tcg");
  EXPECT_EQ(After(arguments, "-cpu"), "cortex-a72");
  EXPECT_THAT(After(arguments, "-icount"), HasSubstr("shift=0"));
  EXPECT_EQ(After(arguments, "-seed"), "7");
}

TEST(QemuArgumentsTest, ADiskIsOnTheBusOfThePortAndForgetsWhatIsWritten) {
  GuestOrder order = OrderFor("x86_64");
  EXPECT_EQ(After(QemuArguments(order), "-drive"), "");
  order.disk = "/images/web.ext4";
  EXPECT_THAT(After(QemuArguments(order), "-drive"), HasSubstr("snapshot=on"));
  EXPECT_THAT(QemuArguments(order), Contains("virtio-blk-device,drive=disk"));
  order.arch = OnMachine(order.arch, "q35").value();
  EXPECT_THAT(QemuArguments(order), Contains("virtio-blk-pci,drive=disk"));
}

TEST(QemuArgumentsTest, KvmHasTheProcessorOfTheHostAndCountsNothing) {
  for (const char* arch : {"x86_64", "arm64", "riscv"}) {
    GuestOrder order = OrderFor(arch);
    order.accelerator = Accelerator::kKvm;
    const auto arguments = QemuArguments(order);
    EXPECT_EQ(After(arguments, "-accel"), "kvm") << arch;
    EXPECT_TRUE(After(arguments, "-cpu").starts_with("host")) << arch;
    EXPECT_THAT(arguments, Not(Contains("-icount"))) << arch;
  }
  GuestOrder order = OrderFor("arm64");
  order.accelerator = Accelerator::kKvm;
  EXPECT_EQ(After(QemuArguments(order), "-machine"), "virt,gic-version=host");
}

TEST(QemuArgumentsTest, OnMicrovmDevicesAreOfMemoryAndOnQ35OfPci) {
  GuestOrder order = OrderFor("x86_64");
  EXPECT_TRUE(After(QemuArguments(order), "-machine").starts_with("microvm"));
  EXPECT_THAT(QemuArguments(order), Contains("virtio-serial-device"));
  order.arch = OnMachine(order.arch, "q35").value();
  EXPECT_EQ(After(QemuArguments(order), "-machine"), "q35");
  EXPECT_THAT(QemuArguments(order), Contains("virtio-serial-pci"));
  EXPECT_THAT(order.arch.needed, Contains("VIRTIO_PCI=y"));
}

TEST(QemuArgumentsTest, AConsoleForAPersonIsASocketAndElseItIsKept) {
  GuestOrder order = OrderFor("arm64");
  EXPECT_EQ(After(QemuArguments(order), "-serial"), "stdio");
  order.console = 17;
  EXPECT_EQ(After(QemuArguments(order), "-serial"), "chardev:console");
  EXPECT_THAT(QemuArguments(order), Contains("socket,id=console,fd=3,mux=on"));
}

TEST(QemuArgumentsTest, MachinesThatAreNotThereAreNamed) {
  const GuestArch x86 = GuestArchNamed("x86_64").value();
  const GuestArch arm = GuestArchNamed("arm64").value();
  EXPECT_EQ(OnMachine(x86, "microvm")->qemu_machine, x86.qemu_machine);
  EXPECT_EQ(OnMachine(arm, "virt")->qemu_machine, "virt");
  EXPECT_THAT(OnMachine(x86, "pc").error().message, HasSubstr("there is microvm, q35"));
  EXPECT_THAT(OnMachine(arm, "q35").error().message, HasSubstr("for arm64 there is virt"));
}

}  // namespace
}  // namespace hone::kernels
