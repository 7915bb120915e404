// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/sealed_calls.h"

#include <algorithm>
#include <cmath>

#include "hone/measure/statistics.h"

namespace hone::compute {
namespace {

constexpr double kErrors = 5;
constexpr double kFinestErrorNs = 300;  // However equal a few were by chance.
constexpr std::size_t kPairs = 8;
constexpr std::size_t kPairsOfGainers = 32;
constexpr std::size_t kPairsOfLong = 5;
constexpr double kLongNs = 1'000'000;
constexpr double kGain = 1.05;
constexpr double kSmallPart = 0.1;  // Of the candidate's time, that may be charged to nobody.

constexpr double kMuchMoreUnequal = 2;
constexpr double kLowerQuartile = 0.25;
// Of a quartile's error over a median's (1.09), of the difference of two sides that vary alike.
constexpr double kOfQuartileOfTwo = 1.54;

double ErrorOf(const std::vector<double>& references) {
  return std::max(kFinestErrorNs, kOfQuartileOfTwo * StandardErrorOfMedian(references));
}

}  // namespace

void SealedCalls::SeeOpen(double candidate, double reference) {
  times_.push_back(candidate - reference);
  candidates_.push_back(candidate);
  references_.push_back(reference);
}

void SealedCalls::SeeSealed(double candidate, double reference) {
  spans_.push_back(candidate - reference);
  reference_spans_.push_back(reference);
}

bool SealedCalls::HasEnough() const {
  if (candidates_.empty() || spans_.size() < kPairsOfLong) return false;
  const double candidate = Median(candidates_);
  const double reference = Median(references_);
  if (std::min(candidate, reference) > kLongNs) return true;
  if (spans_.size() < kPairs) return false;
  if (spans_.size() >= kPairsOfGainers) return true;
  const double error = ErrorOf(reference_spans_);
  const double unequal = StandardErrorOfMedian(spans_);  // More pairs, and no allowance.
  if (reference < kGain * candidate) return unequal <= kMuchMoreUnequal * error;
  return kErrors * std::max(error, unequal) < kSmallPart * candidate;
}

Unseen SealedCalls::Conclude() const {
  Unseen unseen;
  unseen.pairs = spans_.size();
  if (spans_.size() < 2 || times_.size() < 2) return unseen;
  unseen.ns = Quantile(spans_, kLowerQuartile) - Quantile(times_, kLowerQuartile);
  const double of_spans = ErrorOf(reference_spans_);
  const double of_times = ErrorOf(references_);
  unseen.error = std::sqrt(of_spans * of_spans + of_times * of_times);
  unseen.charge = std::max(0.0, unseen.ns - kErrors * unseen.error);
  return unseen;
}

Json Unseen::ToJson() const {
  return {{"pairs", pairs}, {"ns", ns}, {"error_ns", error}, {"charge_ns", charge}};
}

}  // namespace hone::compute
