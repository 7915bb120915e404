// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// The power of whole campaigns, by simulation: of every class of parameters, budget and number of
// parameters, how often a gain is claimed, as a curve over the size of the optimum.
namespace hone {

struct CalibrationPlan {
  int campaigns = 100;          // For each point of a curve: an error of five points at most.
  std::filesystem::path table;  // Written when all is done.
  std::filesystem::path kept;   // What was simulated, one point a line: a second start goes on.
  std::vector<std::string> classes;  // Only these; the table's lines of the others stay.
};

// Exit status.
int Calibrate(const CalibrationPlan& plan);

}  // namespace hone
