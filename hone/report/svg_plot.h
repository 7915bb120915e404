// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace hone::report {

// The extent of what is to be shown. Values that are not finite do not count.
struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void Include(double value);
};

// A linear axis with round ticks. Values beyond its ends are shown at the ends.
class Axis {
 public:
  // Covers the extent with some air. Numbers that are very large or small are shown in powers of
  // a thousand, which the title names.
  Axis(std::string title, Extent extent, int max_ticks = 6);

  // For heights of bars: it begins at 0.
  static Axis FromZero(std::string title, double high, int max_ticks);

  // For counted things: ticks at whole numbers, ends half a step outside.
  static Axis OfCounts(std::string title, double first, double last);

  double ShareOf(double value) const;  // 0 at the low end, 1 at the high end.
  bool Shows(double value) const { return value >= low_ && value <= high_; }
  double low() const { return low_; }
  double high() const { return high_; }

  const std::vector<double>& ticks() const { return ticks_; }
  std::string LabelOf(double tick) const;
  std::string Title() const;

 private:
  void PlaceTicks(double step);

  std::string title_;
  double low_ = 0;
  double high_ = 1;
  std::vector<double> ticks_;
  int decimals_ = 0;
  int thousands_ = 0;
};

// A plot as inline SVG whose text keeps its size whatever the width of the page: x is in per cent
// of the width, y in pixels. Colours come from the page's style, by class. Texts are escaped here;
// classes are ours. Points that are not finite are left out.
class SvgPlot {
 public:
  enum class Mark { kDot, kRing, kHalo, kCross, kTriangleDown, kDiamond };

  // `description` says in words what is to be seen, for those who cannot see it.
  SvgPlot(Axis x, Axis y, int height, std::string description);

  void Put(Mark mark, double x, double y, std::string_view style, std::string_view tip = "");
  void Line(double x1, double y1, double x2, double y2, std::string_view style);
  void HorizontalLine(double y, std::string_view style);
  void VerticalLine(double x, std::string_view style);
  void Box(double x1, double y1, double x2, double y2, std::string_view style,
           std::string_view tip = "");
  // Beside the point: to its right, or to its left near the right edge.
  void Label(double x, double y, std::string_view text);

  const Axis& x() const { return x_; }
  const Axis& y() const { return y_; }

  std::string Finish() const;

 private:
  double Percent(double x) const;
  double Pixel(double y) const;
  std::string Frame() const;

  Axis x_;
  Axis y_;
  int height_;
  std::string description_;
  std::string body_;
};

// One row of a forest plot, to stand in a table: a dot, its interval, and a line at zero. The rows
// of one table share the extent. Infinite ends of the interval run to the edge.
std::string ForestRow(double low, double centre, double high, const Extent& extent,
                      std::string_view description);

}  // namespace hone::report
