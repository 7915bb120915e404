// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/wakeful.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "hone/base/host.h"
#include "hone/testing/wait_until.h"

namespace hone::compute {
namespace {

constexpr std::int64_t kTime = 40;

struct ProcessorTime {
  std::int64_t all = 0;
  std::int64_t idle = 0;
};

// "cpu1 user nice system idle iowait irq softirq …", in hundredths of a second.
ProcessorTime TimeOf(int cpu) {
  std::ifstream stat("/proc/stat");
  const std::string wanted = fmt::format("cpu{}", cpu);
  for (std::string word; stat >> word;) {
    if (word != wanted) continue;
    ProcessorTime time;
    for (int field = 0; field < 8; ++field) {
      std::int64_t value = 0;
      stat >> value;
      time.all += value;
      if (field == 3 || field == 4) time.idle += value;
    }
    return time;
  }
  return {};
}

TEST(WakefulProcessorsTest, HaveHardlyAnyIdleTimeAsLongAsItLives) {
  const int cpu = AllowedCpus().back();
  const ProcessorTime before = TimeOf(cpu);
  {
    const WakefulProcessors wakeful({cpu});
    WaitUntil([&] { return TimeOf(cpu).all >= before.all + kTime; }, "time has passed");
  }
  const ProcessorTime after = TimeOf(cpu);
  EXPECT_LT(static_cast<double>(after.idle - before.idle),
            0.3 * static_cast<double>(after.all - before.all));
}

TEST(WakefulProcessorsTest, ThatDoNotExistAreLeftOut) {
  const WakefulProcessors wakeful({1023});
  SUCCEED();
}

}  // namespace
}  // namespace hone::compute
