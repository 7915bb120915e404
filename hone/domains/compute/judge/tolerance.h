// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hone/domains/compute/tensor.h"

namespace hone::compute {

// How far an element may lie from the exact value x: atol + rtol * |x|. Both 0: not at all.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

// How much the reference itself errs: over one output of some runs of it.
struct ReferenceError {
  double rounding = 0;  // Largest distance between declared and high precision.
  double nudging = 0;   // Largest change of the exact value when inputs move by their last bit.

  void SeeRounding(const Tensor& exact, const Tensor& declared);
  void SeeNudging(const Tensor& exact, const Tensor& nudged);
};

// From the type of the output and the reference's own error, never a constant: a few times the
// largest error that the reference itself makes in this precision, plus a few times what moving the
// inputs by their last bit does, and a few units in the last place of the value. Integers: exact.
Tolerance ToleranceFrom(DType dtype, const ReferenceError& error);

struct Difference {
  std::int64_t index = 0;
  std::string text;  // "out[3, 17]: expected 0.25, found 0.5 (allowed: 1e-6)"
};

struct TensorDifferences {
  std::optional<Difference> first;  // None: all elements are close enough.
  std::int64_t different = 0;       // So many.
  double largest = 0;               // Of all finite differences.
  double mean = 0;
};

// Where expected is NaN, found must be; infinities must be the same. Otherwise NaN and infinity are
// differences, and so are another shape and another type.
TensorDifferences Compare(const Tensor& expected, const Tensor& found, const Tolerance& tolerance);

// The same for `count` elements from `begin` on, and only whether they are close enough.
bool IsCloseIn(const Tensor& expected, const Tensor& found, const Tolerance& tolerance,
               std::int64_t begin, std::int64_t count);

}  // namespace hone::compute
