// SPDX-License-Identifier: Apache-2.0
#include "hone/report/svg_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hone/report/html_text.h"

namespace hone::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::string> LabelsOf(const Axis& axis) {
  std::vector<std::string> labels;
  for (const double tick : axis.ticks()) labels.push_back(axis.LabelOf(tick));
  return labels;
}

TEST(AxisTest, TicksAreRoundAndCoverTheData) {
  const Axis axis("", {-3, 11});
  EXPECT_THAT(LabelsOf(axis), ElementsAre("0", "5", "10"));
  EXPECT_LT(axis.low(), -3);
  EXPECT_GT(axis.high(), 11);
  EXPECT_THAT(LabelsOf(Axis("", {0.99, 1.03})),
              ElementsAre("0.99", "1.00", "1.01", "1.02", "1.03"));
}

TEST(AxisTest, LargeNumbersAreShownInPowersOfAThousand) {
  const Axis axis("rate", {1.2e9, 1.6e9});
  EXPECT_EQ(axis.Title(), "rate × 10⁹");
  EXPECT_THAT(LabelsOf(axis), ElementsAre("1.2", "1.3", "1.4", "1.5", "1.6"));
  EXPECT_EQ(Axis("", {2e-7, 3e-7}).Title(), " × 10⁻⁹");
}

TEST(AxisTest, ZeroHasNoSign) {
  for (const std::string& label : LabelsOf(Axis("", {-0.3, 0.3}))) EXPECT_NE(label, "-0.0");
}

TEST(AxisTest, DegenerateDataStillGiveAnAxis) {
  for (const Extent extent : {Extent{}, Extent{0, 0}, Extent{7, 7}, Extent{-1e-300, -1e-300}}) {
    const Axis axis("", extent);
    EXPECT_LT(axis.low(), axis.high());
    EXPECT_FALSE(axis.ticks().empty());
    EXPECT_LT(axis.ticks().size(), 20U);
  }
}

TEST(AxisTest, CountsHaveWholeTicks) {
  EXPECT_THAT(LabelsOf(Axis::OfCounts("", 1, 4)), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(LabelsOf(Axis::OfCounts("", 0, 0)), ElementsAre("0"));
  EXPECT_LE(Axis::OfCounts("", 0, 1999).ticks().size(), 9U);
}

TEST(AxisTest, ValuesBeyondTheEndsStandAtTheEnds) {
  const Axis axis("", {0, 1});
  EXPECT_EQ(axis.ShareOf(kInfinity), 1);
  EXPECT_EQ(axis.ShareOf(-kInfinity), 0);
}

TEST(ExtentTest, WhatIsNotFiniteDoesNotCount) {
  Extent extent;
  for (const double value : {std::nan(""), kInfinity, 2.0, -kInfinity, 1.0}) extent.Include(value);
  EXPECT_EQ(extent.low, 1);
  EXPECT_EQ(extent.high, 2);
}

TEST(SvgPlotTest, PointsThatAreNotFiniteAreLeftOut) {
  SvgPlot plot(Axis("x", {0, 1}), Axis("y", {0, 1}), 100, "about");
  const std::string empty = plot.Finish();
  plot.Put(SvgPlot::Mark::kDot, std::nan(""), 0, "candidate");
  plot.Put(SvgPlot::Mark::kCross, 0, kInfinity, "candidate");
  plot.Line(0, std::nan(""), 1, 1, "error");
  plot.Box(0, 0, std::nan(""), 1, "bar");
  plot.Label(0, std::nan(""), "text");
  plot.HorizontalLine(7, "zero");
  EXPECT_EQ(plot.Finish(), empty);
  plot.Put(SvgPlot::Mark::kDot, 0.5, 0.5, "candidate");
  EXPECT_NE(plot.Finish(), empty);
}

TEST(SvgPlotTest, TextsAreEscaped) {
  SvgPlot plot(Axis("<x>", {0, 1}), Axis("<y>", {0, 1}), 100, "<about>");
  plot.Put(SvgPlot::Mark::kDot, 0, 0, "candidate", "<tip>");
  plot.Label(0, 0, "<label>");
  for (const char* text : {"<x>", "<y>", "<about>", "<tip>", "<label>"}) {
    EXPECT_THAT(plot.Finish(), Not(HasSubstr(text)));
  }
  EXPECT_THAT(plot.Finish(), HasSubstr("role=\"img\""));
  EXPECT_THAT(plot.Finish(), HasSubstr("<title>&lt;about&gt;</title>"));
}

TEST(HtmlTextTest, MarkupAndBrokenBytesAreDisarmed) {
  EXPECT_EQ(Escape("<a b=\"c\" d='e'>&"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
  EXPECT_EQ(Escape("größer ≥ 🙂\n"), "größer ≥ 🙂\n");
  EXPECT_EQ(Escape(std::string_view("a\0b\x7f\x1b", 5)), "a\uFFFDb\uFFFD\uFFFD");
  EXPECT_EQ(Escape("\xC0\xAF\xED\xA0\x80\xE2\x82"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(HtmlTextTest, ShorteningKeepsCharactersWhole) {
  EXPECT_EQ(Shorten("größer", 10), "größer");
  EXPECT_EQ(Shorten("größer", 6), "größer");
  EXPECT_EQ(Shorten("größer", 3), "grö…");
  EXPECT_EQ(Shorten("\xFF\xFF\xFF", 2), "\xFF\xFF…");
}

}  // namespace
}  // namespace hone::report
