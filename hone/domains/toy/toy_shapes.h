// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/core/space.h"
#include "hone/core/value.h"
#include "hone/domains/toy/toy_point.h"

namespace hone::toy {

// How a surface is written down. Scores are on any scale, higher is better; Surface rescales them.
struct Shape {
  using Score = double (*)(const Point&);

  std::string name;
  std::string summary;
  std::vector<Parameter> parameters;
  std::vector<LinearConstraint> constraints;
  Assignment optimum;  // Of `score`. A test searches for anything better.
  Score score = nullptr;
  Score latency_score = nullptr;             // Null: as `score`.
  bool (*is_crash)(const Point&) = nullptr;  // Null: nothing crashes.
  std::string front_parameter;  // Along it, all else as in the optimum, runs the Pareto front.
};

// Every shape there is. To add one, write a function beside the others and list it.
const std::vector<Shape>& AllShapes();

}  // namespace hone::toy
