// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/progress_display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "hone/testing/fake_clock.h"

namespace hone::cli {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

tune::RewardWords Throughput() {
  return tune::WordsFor({"throughput", Direction::kHigherIsBetter, 1});
}

tune::Progress InSearch(std::int64_t done) {
  tune::Progress progress;
  progress.phase = tune::Phase::kSearch;
  progress.done = done;
  progress.planned = 40;
  progress.remaining = seconds(80);
  progress.best = tune::Progress::Best{"cache_mb=512", {0.08, 0.01, 4}};
  return progress;
}

TEST(ProgressDisplayTest, TheLineHoldsWhatFits) {
  const std::string wide = ProgressLine(InSearch(10), Throughput(), seconds(35), 120);
  EXPECT_EQ(wide,
            "[=====               ]  search 10/40 trials  0:35  ≤1:20 left  "
            "best +8.3 % [+6.2 %, +10.5 %]  cache_mb=512");
  const std::string narrow = ProgressLine(InSearch(10), Throughput(), seconds(35), 50);
  EXPECT_EQ(narrow, "[=====               ]  search 10/40 trials  0:35");
}

TEST(ProgressDisplayTest, NoWidthIsEverExceeded) {
  for (std::size_t width = 1; width < 130; ++width) {
    EXPECT_LE(WidthOf(ProgressLine(InSearch(40), Throughput(), seconds(4000), width)), width);
  }
}

TEST(ProgressDisplayTest, ALogGetsALineATenth) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{out, err, Ink(), Ink(), false};
  FakeClock clock;
  {
    ProgressDisplay display(console, clock, Throughput());
    for (std::int64_t done = 0; done <= 40; ++done) display.Show(InSearch(done));
  }
  const std::string text = err.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_TRUE(out.str().empty());
}

TEST(ProgressDisplayTest, ATerminalLineIsRedrawnAndTakenAway) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{out, err, Ink(), Ink(), true};
  FakeClock clock;
  {
    ProgressDisplay display(console, clock, Throughput());
    display.Show(InSearch(1));
    display.Show(InSearch(2));  // Too soon after the first: not drawn.
    display.Say("A line that stays.\n");
  }
  const std::string text = err.str();
  EXPECT_THAT(text, HasSubstr("1/40"));
  EXPECT_THAT(text, HasSubstr("\r\x1b[KA line that stays.\n\r["));
  EXPECT_TRUE(text.ends_with("\r\x1b[K"));
}

}  // namespace
}  // namespace hone::cli
