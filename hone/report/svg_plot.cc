// SPDX-License-Identifier: Apache-2.0
#include "hone/report/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/report/html_text.h"

namespace hone::report {
namespace {

constexpr double kAir = 0.06;  // Of the extent, at either end.

// The smallest of 1, 2, 5 times a power of ten that is not below `min`.
double RoundStep(double min) {
  const double power = std::pow(10.0, std::floor(std::log10(min)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= min * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

int ThousandsIn(double magnitude) {
  if (magnitude == 0 || (magnitude >= 1e-2 && magnitude < 1e5)) return 0;
  return static_cast<int>(std::floor(std::log10(magnitude) / 3));
}

Extent Usable(Extent extent) {
  if (!(extent.low <= extent.high)) return {0, 1};
  if (extent.low == extent.high) {
    const double half = extent.low == 0 ? 1 : 0.05 * std::abs(extent.low);
    return {extent.low - half, extent.high + half};
  }
  return extent;
}

std::string Superscript(int number) {
  static constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) text += kDigits[digit - '0'];
  return text;
}

std::string TipOf(std::string_view tip) {
  return tip.empty() ? "" : fmt::format("<title>{}</title>", Escape(tip));
}

// The class of a mark, and the path that draws it; none for circles.
std::pair<std::string_view, std::string_view> LooksOf(SvgPlot::Mark mark) {
  switch (mark) {
    case SvgPlot::Mark::kDot:
      return {"dot", ""};
    case SvgPlot::Mark::kRing:
      return {"ring", ""};
    case SvgPlot::Mark::kHalo:
      return {"halo", ""};
    case SvgPlot::Mark::kCross:
      return {"cross", "M-4-4L4 4M-4 4L4-4"};
    case SvgPlot::Mark::kTriangleDown:
      return {"dot", "M-5-8H5L0 0Z"};
    case SvgPlot::Mark::kDiamond:
      break;
  }
  return {"dot", "M0-6L6 0L0 6L-6 0Z"};
}

}  // namespace

void Extent::Include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

Axis::Axis(std::string title, Extent extent, int max_ticks) : title_(std::move(title)) {
  const Extent usable = Usable(extent);
  const double air = kAir * (usable.high - usable.low);
  low_ = usable.low - air;
  high_ = usable.high + air;
  thousands_ = ThousandsIn(std::max(std::abs(usable.low), std::abs(usable.high)));
  PlaceTicks(RoundStep((high_ - low_) / max_ticks));
}

Axis Axis::FromZero(std::string title, double high, int max_ticks) {
  Axis axis(std::move(title), {0, high}, max_ticks);
  axis.low_ = 0;
  std::erase_if(axis.ticks_, [](double tick) { return tick < 0; });
  return axis;
}

Axis Axis::OfCounts(std::string title, double first, double last) {
  Axis axis(std::move(title), {first, std::max(first, last)});
  axis.low_ = first - 0.5;
  axis.high_ = std::max(first, last) + 0.5;
  axis.thousands_ = 0;
  axis.PlaceTicks(std::max(1.0, RoundStep((axis.high_ - axis.low_) / 8)));
  return axis;
}

void Axis::PlaceTicks(double step) {
  ticks_.clear();
  const double first = std::ceil(low_ / step - 1e-9);
  const double last = std::floor(high_ / step + 1e-9);
  for (double k = first; k <= last; ++k) ticks_.push_back(k * step);
  const double shown_step = step / std::pow(1000.0, thousands_);
  decimals_ = std::clamp(static_cast<int>(std::ceil(-std::log10(shown_step) - 1e-9)), 0, 9);
}

double Axis::ShareOf(double value) const {
  return std::clamp((value - low_) / (high_ - low_), 0.0, 1.0);
}

std::string Axis::LabelOf(double tick) const {
  const double shown = tick / std::pow(1000.0, thousands_);
  return fmt::format("{:.{}f}", shown == 0 ? 0 : shown, decimals_);
}

std::string Axis::Title() const {
  if (thousands_ == 0) return title_;
  return fmt::format("{} × 10{}", title_, Superscript(3 * thousands_));
}

SvgPlot::SvgPlot(Axis x, Axis y, int height, std::string description)
    : x_(std::move(x)), y_(std::move(y)), height_(height), description_(std::move(description)) {}

double SvgPlot::Percent(double x) const { return 100 * x_.ShareOf(x); }

double SvgPlot::Pixel(double y) const { return height_ * (1 - y_.ShareOf(y)); }

void SvgPlot::Put(Mark mark, double x, double y, std::string_view style, std::string_view tip) {
  if (!std::isfinite(x) || !std::isfinite(y)) return;
  const auto [shape, path] = LooksOf(mark);
  if (path.empty()) {
    body_ +=
        fmt::format(R"(<circle class="{} {}" cx="{:.2f}%" cy="{:.1f}" r="{}">{}</circle>)", shape,
                    style, Percent(x), Pixel(y), mark == Mark::kHalo ? "9" : "3.5", TipOf(tip));
    return;
  }
  body_ += fmt::format(R"(<svg x="{:.2f}%" y="{:.1f}" width="1" height="1" overflow="visible">)"
                       R"(<path class="{} {}" d="{}">{}</path></svg>)",
                       Percent(x), Pixel(y), shape, style, path, TipOf(tip));
}

void SvgPlot::Line(double x1, double y1, double x2, double y2, std::string_view style) {
  if (std::isnan(x1) || std::isnan(y1) || std::isnan(x2) || std::isnan(y2)) return;
  body_ += fmt::format(R"(<line class="{}" x1="{:.2f}%" y1="{:.1f}" x2="{:.2f}%" y2="{:.1f}"/>)",
                       style, Percent(x1), Pixel(y1), Percent(x2), Pixel(y2));
}

void SvgPlot::HorizontalLine(double y, std::string_view style) {
  if (y_.Shows(y)) Line(x_.low(), y, x_.high(), y, style);
}

void SvgPlot::VerticalLine(double x, std::string_view style) {
  if (x_.Shows(x)) Line(x, y_.low(), x, y_.high(), style);
}

void SvgPlot::Box(double x1, double y1, double x2, double y2, std::string_view style,
                  std::string_view tip) {
  if (std::isnan(x1) || std::isnan(y1) || std::isnan(x2) || std::isnan(y2)) return;
  const double left = Percent(std::min(x1, x2));
  const double top = Pixel(std::max(y1, y2));
  body_ += fmt::format(
      R"(<rect class="{}" x="{:.2f}%" y="{:.1f}" width="{:.2f}%" height="{:.1f}">{}</rect>)", style,
      left, top, Percent(std::max(x1, x2)) - left, Pixel(std::min(y1, y2)) - top, TipOf(tip));
}

void SvgPlot::Label(double x, double y, std::string_view text) {
  if (!std::isfinite(x) || !std::isfinite(y)) return;
  const bool is_right = x_.ShareOf(x) > 0.85;
  body_ += fmt::format(R"(<text class="label" x="{:.2f}%" dx="{}" y="{:.1f}"{}>{}</text>)",
                       Percent(x), is_right ? -8 : 8, Pixel(y) - 7,
                       is_right ? R"( text-anchor="end")" : "", Escape(text));
}

std::string SvgPlot::Frame() const {
  std::string frame;
  for (const double tick : y_.ticks()) {
    const double at = Pixel(tick);
    frame += fmt::format(R"(<line class="grid" x1="0%" y1="{0:.1f}" x2="100%" y2="{0:.1f}"/>)"
                         R"(<text class="tick" x="-8" y="{1:.1f}" text-anchor="end">{2}</text>)",
                         at, at + 4, y_.LabelOf(tick));
  }
  for (const double tick : x_.ticks()) {
    frame +=
        fmt::format(R"(<line class="axis" x1="{0:.2f}%" y1="{1}" x2="{0:.2f}%" y2="{2}"/>)"
                    R"(<text class="tick" x="{0:.2f}%" y="{3}" text-anchor="middle">{4}</text>)",
                    Percent(tick), height_, height_ + 5, height_ + 18, x_.LabelOf(tick));
  }
  frame += fmt::format(R"(<line class="axis" x1="0%" y1="{0}" x2="100%" y2="{0}"/>)", height_);
  return frame;
}

std::string SvgPlot::Finish() const {
  constexpr int kBelow = 24;
  return fmt::format(
      R"(<div class="plot"><div class="ytitle">{}</div>)"
      R"(<svg role="img" width="100%" height="{}" overflow="visible"><title>{}</title>{}{}</svg>)"
      R"(<div class="xtitle">{}</div></div>)",
      Escape(y_.Title()), height_ + kBelow, Escape(description_), Frame(), body_,
      Escape(x_.Title()));
}

std::string ForestRow(double low, double centre, double high, const Extent& extent,
                      std::string_view description) {
  const Axis axis("", extent);
  const auto percent = [&](double value) { return 100 * axis.ShareOf(value); };
  std::string row =
      fmt::format(R"(<svg class="forest" role="img" width="100%" height="22" overflow="visible">)"
                  R"(<title>{0}</title>)",
                  Escape(description));
  row += fmt::format(R"(<line class="zero" x1="{0:.2f}%" y1="-4" x2="{0:.2f}%" y2="26"/>)",
                     percent(0));
  if (!std::isnan(low) && !std::isnan(high)) {
    row += fmt::format(R"(<line class="interval" x1="{:.2f}%" y1="11" x2="{:.2f}%" y2="11"/>)",
                       percent(low), percent(high));
  }
  if (std::isfinite(centre)) {
    row += fmt::format(R"(<circle class="dot candidate" cx="{:.2f}%" cy="11" r="4.5"/>)",
                       percent(centre));
  }
  return row + "</svg>";
}

}  // namespace hone::report
