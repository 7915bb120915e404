// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/accelerator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::kernels {
namespace {

using ::testing::HasSubstr;

const KvmSight kWithKvm{"x86_64", ""};
const KvmSight kWithout{"x86_64", "/dev/kvm: No such file or directory"};

Result<Accelerator> Choose(std::string_view wanted, bool counts_instructions, const KvmSight& here,
                           const char* arch = "x86_64") {
  return ChooseAccelerator(wanted, counts_instructions, GuestArchNamed(arch).value(), here);
}

TEST(AcceleratorTest, InstructionsAreCountedByTcgWhateverIsHere) {
  EXPECT_EQ(Choose("auto", true, kWithKvm).value(), Accelerator::kTcg);
  EXPECT_EQ(Choose("tcg", true, kWithKvm).value(), Accelerator::kTcg);
  EXPECT_THAT(Choose("kvm", true, kWithKvm).error().message, HasSubstr("measure=time"));
}

TEST(AcceleratorTest, TimeIsKvmsWhereItIsAndTheProcessorIsTheSame) {
  EXPECT_EQ(Choose("auto", false, kWithKvm).value(), Accelerator::kKvm);
  EXPECT_EQ(Choose("auto", false, kWithout).value(), Accelerator::kTcg);
  EXPECT_EQ(Choose("auto", false, kWithKvm, "arm64").value(), Accelerator::kTcg);
  EXPECT_EQ(Choose("tcg", false, kWithKvm).value(), Accelerator::kTcg);
}

TEST(AcceleratorTest, WhoAsksForKvmIsToldWhyThereIsNone) {
  EXPECT_EQ(Choose("kvm", false, kWithKvm).value(), Accelerator::kKvm);
  EXPECT_THAT(Choose("kvm", false, kWithout).error().message,
              HasSubstr("/dev/kvm: No such file or directory"));
  EXPECT_THAT(Choose("kvm", false, kWithKvm, "arm64").error().message,
              HasSubstr("a guest for aarch64 on a machine that is x86_64"));
}

TEST(AcceleratorTest, WhatIsHereIsFoundOrSaid) {
  const KvmSight here = LookForKvm();
  EXPECT_NE(here.machine, "");
  EXPECT_TRUE(here.fault.empty() || here.fault.starts_with("/dev/kvm")) << here.fault;
}

}  // namespace
}  // namespace hone::kernels
