// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace hone {

// What a parameter can be set to. A tuple is non-decreasing, as in tcp_rmem.
using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>>;

// Values by parameter name. Parameters that are not active are absent.
using Assignment = std::map<std::string, Value>;

// "true", "42", "0.25" (shortest text that reads back to the same number), "cubic", "4096 87380".
std::string ToText(const Value& value);

// "a=1 b=cubic", in name order: the same text for the same assignment, always.
std::string ToText(const Assignment& assignment);

}  // namespace hone
