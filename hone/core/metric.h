// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace hone {

enum class Direction { kHigherIsBetter, kLowerIsBetter };

// What a domain declares about a number that it reports.
struct MetricFacts {
  std::string name;
  std::string unit;
  Direction direction = Direction::kHigherIsBetter;
  std::string description;
};

// One run's value of one metric. The spread is a standard error, 0 where the run gives a single
// number.
struct Reading {
  double value = 0;
  double spread = 0;
  std::int64_t count = 1;

  bool operator==(const Reading&) const = default;
};

// A metric over several runs: a robust centre, its standard error, the number of runs.
struct Metric {
  std::string name;
  std::string unit;
  double value = 0;
  double spread = 0;
  std::int64_t count = 0;

  bool operator==(const Metric&) const = default;
};

// A number that was inferred, with its standard error and the number of observations behind it.
struct Estimate {
  double mean = 0;
  double standard_error = 0;
  std::int64_t count = 0;

  bool operator==(const Estimate&) const = default;
};

}  // namespace hone
