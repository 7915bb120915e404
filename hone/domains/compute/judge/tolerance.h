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

// What is known about the right output besides its value.
struct ToleranceBasis {
  const Tensor& exact;               // By the reference in high precision.
  const Tensor* declared = nullptr;  // By the reference in the declared precision.
  const Tensor* nudged = nullptr;    // As `exact`, with inputs moved by half a unit in last place.
};

// From the type of the output and the reference's own error, never a constant: a few times the
// largest error that the reference itself makes in this precision, or that rounding the inputs
// makes, whichever is larger, and a few units in the last place of the value.
Tolerance ToleranceFrom(DType dtype, const ToleranceBasis& basis);

// Without a higher precision: from the type and the number of terms behind an element.
Tolerance ToleranceFrom(DType dtype, const Tensor& expected);

struct Difference {
  std::int64_t index = 0;
  std::string text;  // "out[3, 17]: expected 0.25, found 0.5 (allowed: 1e-6)"
};

struct Comparison {
  std::optional<Difference> first;  // None: all elements are close enough.
  std::int64_t different = 0;       // So many.
  double largest = 0;               // Of all finite differences.
  double mean = 0;
};

// Where expected is NaN, found must be; infinities must be the same. Otherwise NaN and infinity are
// differences, and so are another shape and another type.
Comparison Compare(const Tensor& expected, const Tensor& found, const Tolerance& tolerance);

}  // namespace hone::compute
