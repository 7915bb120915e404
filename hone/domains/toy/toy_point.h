// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/space.h"
#include "hone/core/value.h"

namespace hone::toy {

// An assignment as a surface sees it, parameter by parameter. Valid in the space, and made for
// one look: it refers to what it was made from.
class Point {
 public:
  Point(const Space& space, const Assignment& optimum, const Assignment& assignment)
      : space_(space), optimum_(optimum), assignment_(assignment) {}

  // How far the value lies above the optimum's, as a share of the range and on the range's own
  // scale: from -1 to 1, and exactly 0 at the optimum. For a tuple the root mean square.
  double Away(const std::string& name) const;

  double Number(const std::string& name) const;
  bool Is(const std::string& name, const Value& value) const;  // False if inactive.

 private:
  const Space& space_;
  const Assignment& optimum_;
  const Assignment& assignment_;
};

}  // namespace hone::toy
