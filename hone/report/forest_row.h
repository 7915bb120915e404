// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <string_view>

namespace hone::report {

// The extent of what is to be shown. Values that are not finite do not count.
struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void Include(double value);
};

// One row of a forest plot as inline SVG, to stand in a table: a dot, its interval, and a line at
// zero. The rows of one table share the extent; values beyond it are shown at its ends, so that
// infinite ends of the interval run to the edge. The description is escaped here.
std::string ForestRow(double low, double centre, double high, const Extent& extent,
                      std::string_view description);

}  // namespace hone::report
