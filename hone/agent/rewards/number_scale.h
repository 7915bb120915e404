// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "hone/agent/questions/question.h"

// Values of build options as numbers, where they are numbers.
namespace hone::agent {

// "250", "-1", "0x1000"; nullopt for any other text, and for a number beyond 64 bits.
std::optional<double> NumberOf(std::string_view text);

// Equal as numbers where both are, else as texts; quotes around a text do not count.
bool IsSameValue(std::string_view a, std::string_view b);

// Whether the value lies in the item's range. True of a text that is no number if there is no
// range.
bool IsInRange(const QuestionItem& item, std::string_view value);

// How much of the way from the present value p to the right one a was gone by saying x:
//   max(0, 1 - |s(x) - s(a)| / |s(p) - s(a)|)
// s is x itself; where the range (without one: p and a) is not negative and spans two decades,
// s(x) = log(1 + x). Where p is no number, the width of the range takes the place of the way. What
// lies out of the range is at 0, and so is a text that is not the right one.
double ClosenessOf(const QuestionItem& item, std::string_view right, std::string_view said);

}  // namespace hone::agent
