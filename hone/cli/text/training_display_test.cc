// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/training_display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "hone/testing/fake_clock.h"

namespace hone::cli {
namespace {

using ::testing::HasSubstr;

TEST(SparklineTest, TheLowestIsALowBlockAndTheHighestAFullOne) {
  EXPECT_EQ(Sparkline({}, 5), "");
  EXPECT_EQ(Sparkline({3}, 5), "▁");
  EXPECT_EQ(Sparkline({0, 1}, 5), "▁█");
  EXPECT_EQ(Sparkline({0, 0, 7, 7, 3, 4}, 3), "▁█▅");
}

TEST(TrainingDisplayTest, ElsewhereThanOnATerminalItIsALineATenth) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err, .out_ink = Ink(), .err_ink = Ink()};
  FakeClock clock;
  {
    TrainingDisplay display(console, clock, 1000);
    learn::TrainReport report;
    for (std::int64_t steps = 10; steps <= 1000; steps += 10) {
      report.steps = steps;
      report.mean_reward = static_cast<double>(steps);
      display.Show(report);
    }
  }
  const std::string text = err.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11);
  EXPECT_THAT(text, HasSubstr("100 % 1000 steps  reward 1000.0"));
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace hone::cli
