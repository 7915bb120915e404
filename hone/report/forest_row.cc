// SPDX-License-Identifier: Apache-2.0
#include "hone/report/forest_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hone/report/html_text.h"

namespace hone::report {
namespace {

constexpr double kAir = 0.06;  // Of the extent, at either end.

// Never empty, and with some air.
Extent Usable(Extent extent) {
  if (!(extent.low <= extent.high)) return {0, 1};
  double air = kAir * (extent.high - extent.low);
  if (extent.low == extent.high) air = extent.low == 0 ? 1 : 0.05 * std::abs(extent.low);
  return {extent.low - air, extent.high + air};
}

}  // namespace

void Extent::Include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

std::string ForestRow(double low, double centre, double high, const Extent& extent,
                      std::string_view description) {
  const Extent shown = Usable(extent);
  const auto percent = [&](double value) {
    return 100 * std::clamp((value - shown.low) / (shown.high - shown.low), 0.0, 1.0);
  };
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
