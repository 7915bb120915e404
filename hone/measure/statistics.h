// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <vector>

// Numbers that describe one sample. Values must be finite, and there must be at least one: anything
// else is a broken promise of the caller.
namespace hone {

// From low to high, both included. Infinite ends say that the data do not bound the number.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool Contains(double value) const { return low <= value && value <= high; }
  bool IsBounded() const;  // On both sides.
  bool operator==(const Interval&) const = default;
};

std::vector<double> Sorted(std::span<const double> values);

double Mean(std::span<const double> values);
double Variance(std::span<const double> values);  // With n - 1; 0 for a single value.
double StandardDeviation(std::span<const double> values);
double Median(std::span<const double> values);

// Type 7 of Hyndman and Fan (1996), what R, NumPy and spreadsheets do: linear between order
// statistics.
double Quantile(std::span<const double> values, double probability);

// Times 1.4826, so that it estimates the standard deviation of normal noise. Half of the values
// may be wrong before it breaks.
double MedianAbsoluteDeviation(std::span<const double> values);

// About the median, times 1.2533, so that it estimates the standard deviation of normal noise. Less
// robust than the one above, and steadier in small samples; 0 only if all values are equal.
double MeanAbsoluteDeviation(std::span<const double> values);

// The pseudo-median: the median of the averages of all pairs, each value with itself included.
// Nearly as precise as the mean under normal noise (95 %), and far more under heavy tails.
double HodgesLehmann(std::span<const double> values);

// Standard errors; infinite for a single value, which says nothing about its own spread.
double StandardErrorOfMean(std::span<const double> values);
double StandardErrorOfMedian(std::span<const double> values);  // Price and Bonett (2001).

// From the width of the signed-rank interval closest to one standard error (Lehmann, 1963). It does
// not trust the tails: a single wild run among ten barely moves it.
double StandardErrorOfHodgesLehmann(std::span<const double> values);

}  // namespace hone
