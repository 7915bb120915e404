// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/tolerance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hone::compute {
namespace {

constexpr double kUlps = 4;
constexpr double kTimesRounding = 8;
constexpr double kTimesNudging = 8;

bool IsClose(double expected, double found, const Tolerance& tolerance) {
  if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) && std::isnan(found);
  if (std::isinf(expected) || std::isinf(found)) return expected == found;
  return std::fabs(found - expected) <= tolerance.atol + tolerance.rtol * std::fabs(expected);
}

// Calls visit(index, element of a, element of b) for each pair, the usual types without a look at
// the type of every element.
template <typename Visit>
void ForEachPair(const Tensor& a, const Tensor& b, const Visit& visit) {
  const std::int64_t count = std::min(a.spec.Count(), b.spec.Count());
  const auto walk = [&](const auto* first, const auto* second) {
    for (std::int64_t i = 0; i < count; ++i) {
      visit(i, static_cast<double>(first[i]), static_cast<double>(second[i]));
    }
  };
  const DType one = a.spec.dtype;
  const DType other = b.spec.dtype;
  if (one == DType::kF64 && other == DType::kF32) {
    return walk(a.As<double>().data(), b.As<float>().data());
  }
  if (one == DType::kF32 && other == DType::kF32) {
    return walk(a.As<float>().data(), b.As<float>().data());
  }
  if (one == DType::kF64 && other == DType::kF64) {
    return walk(a.As<double>().data(), b.As<double>().data());
  }
  for (std::int64_t i = 0; i < count; ++i) visit(i, ElementAt(a, i), ElementAt(b, i));
}

double LargestDistance(const Tensor& a, const Tensor& b) {
  double largest = 0;
  ForEachPair(a, b, [&](std::int64_t, double one, double other) {
    const double distance = std::fabs(one - other);
    if (std::isfinite(distance)) largest = std::max(largest, distance);
  });
  return largest;
}

template <typename Expected, typename Found>
bool AreClose(const Expected* expected, const Found* found, std::int64_t count,
              const Tolerance& tolerance) {
  std::int64_t close = 0;  // A NaN is close to nothing here: what it means is decided slowly.
  for (std::int64_t i = 0; i < count; ++i) {
    const auto wanted = static_cast<double>(expected[i]);
    const double distance = std::fabs(static_cast<double>(found[i]) - wanted);
    close +=
        static_cast<std::int64_t>(distance <= tolerance.atol + tolerance.rtol * std::fabs(wanted));
  }
  return close == count;
}

bool AreCloseSlowly(const Tensor& expected, const Tensor& found, const Tolerance& tolerance,
                    std::int64_t begin, std::int64_t count) {
  for (std::int64_t i = begin; i < begin + count; ++i) {
    if (!IsClose(ElementAt(expected, i), ElementAt(found, i), tolerance)) return false;
  }
  return true;
}

std::string Describe(const Tensor& expected, const Tensor& found, const Tolerance& tolerance,
                     std::int64_t index) {
  const double allowed = tolerance.atol + tolerance.rtol * std::fabs(ElementAt(expected, index));
  return fmt::format("{}{}: expected {}, found {} (allowed distance {:.3g})", expected.spec.name,
                     IndexText(expected.spec.shape, index), ElementText(expected, index),
                     ElementText(found, index), allowed);
}

TensorDifferences OfAnotherKind(const Tensor& expected, const Tensor& found) {
  TensorDifferences comparison;
  comparison.different = std::max<std::int64_t>(1, expected.spec.Count());
  comparison.first = Difference{
      0, fmt::format("{}: expected {} of shape {}, found {} of shape {}", expected.spec.name,
                     NameOf(expected.spec.dtype), ToText(expected.spec.shape),
                     NameOf(found.spec.dtype), ToText(found.spec.shape))};
  return comparison;
}

bool HasSameType(const Tensor& expected, const Tensor& found) {
  // Expected values may come in a higher precision.
  return expected.spec.dtype == found.spec.dtype ||
         (expected.spec.dtype == DType::kF64 && IsFloating(found.spec.dtype));
}

}  // namespace

void ReferenceError::SeeRounding(const Tensor& exact, const Tensor& declared) {
  rounding = std::max(rounding, LargestDistance(exact, declared));
}

void ReferenceError::SeeNudging(const Tensor& exact, const Tensor& nudged) {
  nudging = std::max(nudging, LargestDistance(exact, nudged));
}

Tolerance ToleranceFrom(DType dtype, const ReferenceError& error) {
  if (!IsFloating(dtype)) return {};
  return {kUlps * EpsilonOf(dtype),
          kTimesRounding * error.rounding + kTimesNudging * error.nudging};
}

bool IsCloseIn(const Tensor& expected, const Tensor& found, const Tolerance& tolerance,
               std::int64_t begin, std::int64_t count) {
  const auto at = static_cast<std::size_t>(begin);
  const bool is_same = expected.spec.dtype == found.spec.dtype;
  if (found.spec.dtype == DType::kF32 && is_same &&
      AreClose(expected.As<float>().data() + at, found.As<float>().data() + at, count, tolerance)) {
    return true;
  }
  if (found.spec.dtype == DType::kF32 && expected.spec.dtype == DType::kF64 &&
      AreClose(expected.As<double>().data() + at, found.As<float>().data() + at, count,
               tolerance)) {
    return true;
  }
  if (is_same) {
    const std::size_t size = SizeOf(found.spec.dtype);
    if (std::memcmp(expected.bytes.data() + at * size, found.bytes.data() + at * size,
                    static_cast<std::size_t>(count) * size) == 0) {
      return true;
    }
  }
  return AreCloseSlowly(expected, found, tolerance, begin, count);
}

TensorDifferences Compare(const Tensor& expected, const Tensor& found, const Tolerance& tolerance) {
  if (expected.spec.shape != found.spec.shape || !HasSameType(expected, found)) {
    return OfAnotherKind(expected, found);
  }
  TensorDifferences comparison;
  const std::int64_t count = expected.spec.Count();
  double sum = 0;
  ForEachPair(expected, found, [&](std::int64_t i, double wanted, double got) {
    const double distance = std::fabs(got - wanted);
    if (std::isfinite(distance)) {
      comparison.largest = std::max(comparison.largest, distance);
      sum += distance;
    }
    if (IsClose(wanted, got, tolerance)) return;
    ++comparison.different;
    if (!comparison.first) {
      comparison.first = Difference{i, Describe(expected, found, tolerance, i)};
    }
  });
  comparison.mean = count > 0 ? sum / static_cast<double>(count) : 0;
  return comparison;
}

}  // namespace hone::compute
