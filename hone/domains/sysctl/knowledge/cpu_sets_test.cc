// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/cpu_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/domains/sysctl/kernel/fake_kernel.h"

namespace hone::sysctl {
namespace {

using ::testing::ElementsAre;

TEST(CpuSetsTest, AMaskIsWrittenAsTheKernelShowsIt) {
  EXPECT_EQ(MaskOf({0, 1}, 2), "3");
  EXPECT_EQ(MaskOf({}, 2), "0");
  EXPECT_EQ(MaskOf({0, 1, 2, 3}, 12), "00f");
  EXPECT_EQ(MaskOf({0, 1, 2, 3}, 64), "00000000,0000000f");
  EXPECT_EQ(MaskOf({33}, 36), "2,00000000");
}

TEST(CpuSetsTest, OfFewCpusEachIsTriedByItself) {
  EXPECT_THAT(MasksToTry({{0, 1}, {{0, 1}}, 2}, true), ElementsAre("0", "3", "1", "2"));
  EXPECT_THAT(MasksToTry({{0, 1}, {{0, 1}}, 2}, false), ElementsAre("3", "1", "2"));
  EXPECT_THAT(MasksToTry({{0}, {}, 1}, false), ElementsAre("1"));
}

TEST(CpuSetsTest, OfManyCpusNodesAndHalvesAreTried) {
  CpuLayout layout{{}, {{}, {}}, 16};
  for (int cpu = 0; cpu < 16; ++cpu) {
    layout.online.push_back(cpu);
    layout.nodes[cpu % 2 == 0 ? 0 : 1].push_back(cpu);
  }
  EXPECT_THAT(MasksToTry(layout, false), ElementsAre("ffff", "5555", "aaaa", "00ff", "ff00"));
}

TEST(CpuSetsTest, TheMachineSaysWhichCpusItHas) {
  FakeKernel kernel;
  EXPECT_EQ(ReadCpus(kernel).possible, 1);
  kernel.Add("/sys/devices/system/cpu/online", "0-1,4");
  kernel.Add("/sys/devices/system/cpu/possible", "0-7");
  kernel.Add("/sys/devices/system/node/node0/cpulist", "0-1");
  kernel.Add("/sys/devices/system/node/node1/cpulist", "4");
  const CpuLayout layout = ReadCpus(kernel);
  EXPECT_THAT(layout.online, ElementsAre(0, 1, 4));
  EXPECT_THAT(layout.nodes, ElementsAre(ElementsAre(0, 1), ElementsAre(4)));
  EXPECT_EQ(layout.possible, 8);
}

TEST(CpuSetsTest, ThisMachineShowsItsMasksInThisForm) {
  const auto files = MakeHostFiles();
  const auto text = files->Read("/proc/irq/default_smp_affinity");
  if (!text) GTEST_SKIP() << "cannot read /proc/irq/default_smp_affinity";
  EXPECT_EQ(text->size(), MaskOf({0}, ReadCpus(*files).possible).size()) << *text;
}

}  // namespace
}  // namespace hone::sysctl
