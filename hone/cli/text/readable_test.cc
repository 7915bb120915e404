// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/readable.h"

#include <gtest/gtest.h>

namespace hone::cli {
namespace {

TEST(ReadableTest, AChangeNamesWhatDiffers) {
  const Candidate baseline{{{"a", std::int64_t{1}}, {"b", 0.5}}, ""};
  const Candidate candidate{{{"a", std::int64_t{1}}, {"b", 0.7423335368512198}, {"c", true}}, ""};
  EXPECT_EQ(ReadableChange(baseline, candidate), "b=0.742334 c=true");
  EXPECT_EQ(ReadableChange(baseline, baseline), "no change");
}

TEST(ReadableTest, ATerminalIsToldNothingThatItWouldObey) {
  EXPECT_EQ(Printable("a\x1b[2Jb\rc\x7f"), "a\\x1b[2Jb\\x0dc\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "2J"),
            "\\x9b2J");
  EXPECT_EQ(Printable("two\n\tlines, ± and …"), "two\n\tlines, ± and …");
}

TEST(ReadableTest, WidthCountsCodePoints) {
  EXPECT_EQ(WidthOf("±2 se"), 5U);
  EXPECT_EQ(FitInto("±2 se", 5), "±2 se");
  EXPECT_EQ(FitInto("±2 se", 3), "±2…");
  EXPECT_EQ(FitInto("abc", 0), "");
}

TEST(ReadableTest, TablesHaveNoTrailingSpaces) {
  EXPECT_EQ(TableText({{"a", "±", "x"}, {"long", "b"}}), "  a     ±  x\n  long  b\n");
}

}  // namespace
}  // namespace hone::cli
