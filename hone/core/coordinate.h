// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hone/core/space.h"

// How one parameter lies in the unit cube. Space composes these, in the order of its parameters.
namespace hone {

std::size_t CoordinatesOf(const Parameter& parameter);

// Coordinates outside [0, 1] are clamped, NaN counts as 0.
Value FromCoordinates(const Parameter& parameter, std::span<const double> unit);

// Values outside the range are clamped. FromCoordinates gives an allowed value back unchanged.
std::vector<double> ToCoordinates(const Parameter& parameter, const Value& value);

// Whether the value is of the right type, in range, on a step, or special.
bool Allows(const Parameter& parameter, const Value& value);

// "an integer from 1 to 64 in steps of 4, or 0 (off)"
std::string DescribeAllowed(const Parameter& parameter);

// What is wrong with the kind itself ("the range is empty"); empty if nothing is.
std::string FaultOf(const Kind& kind);

// Some value of the type that the kind asks for.
Value NeutralValue(const Kind& kind);

}  // namespace hone
