// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/judge.h"

// A/A: equal source on both sides, for judges of processors and of GPUs.
namespace hone {

constexpr double kCoverage = 0.93;

// A problem with its own reference as the candidate.
struct Equal {
  std::string name;
  Options options;
  std::string source;
};

// How much the median of one kernel varied from evaluation to evaluation.
struct Variation {
  double time_us = 0;
  double share = 0;
  bool is_known = false;  // The machine was calm often enough to say.
};

// How often what should have been covered was.
struct Tally {
  int covered = 0;
  int all = 0;
  bool is_short = false;  // A problem falls short by more than chance explains.
  std::vector<Variation> variations;

  // Whether these are too few.
  bool Count(int right, int rounds);
  double Share() const { return static_cast<double>(covered) / all; }
  bool Holds() const;
  // Of kernels that take at least so long.
  std::vector<double> VariationsFrom(double us) const;
  int RestlessFrom(double us) const;  // Of those, kernels of which nothing is known.
};

// Prints a figure with its bar, and returns whether it holds.
bool Report(const char* what, double found, double bar, const char* unit, bool holds);

void PrintEqualHead();

// Judges it so many times and prints a row. `name` is the benchmark's.
void JudgeEqual(const std::string& name, const Equal& equal, Judge& judge, int rounds,
                Tally& tally);

}  // namespace hone
