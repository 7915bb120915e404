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

// How often what should have been covered was.
struct Tally {
  double from_us = 20;  // Shorter calls vary as they like.
  int covered = 0;
  int all = 0;
  bool is_short = false;  // A problem falls short by more than chance explains.
  std::vector<double> variations;

  // Whether these are too few.
  bool Count(int right, int rounds);
  double Share() const { return static_cast<double>(covered) / all; }
  bool Holds() const;
};

// Prints a figure with its bar, and returns whether it holds.
bool Report(const char* what, double found, double bar, const char* unit, bool holds);

void PrintEqualHead();

// Judges it so many times and prints a row. `name` is the benchmark's.
void JudgeEqual(const std::string& name, const Equal& equal, Judge& judge, int rounds,
                Tally& tally);

}  // namespace hone
