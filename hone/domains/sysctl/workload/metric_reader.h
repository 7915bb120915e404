// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/workload/workload_spec.h"

namespace hone::sysctl {

// Whether the extractor can work at all: a JSON pointer of the right form, an expression that
// compiles and has one group (or one named like the metric), a line's name that is not empty.
Result<void> CheckExtractor(const Extractor& extractor, const std::string& metric);

// A number as a benchmark prints it: an optional minus, digits with an optional point, an optional
// exponent, and then nothing or `unit`, with or without a blank before it. No thousands
// separators, no other units, nothing that is not finite: an Error says what is wrong.
Result<double> ParseNumber(std::string_view text, const std::string& unit);

// Takes every metric out of what a benchmark printed on its standard output, by docs/formats/
// workload.md: strictly, never "the first number". An Error (kInvalidArgument) names the metric,
// where it was looked for and what was found.
Result<std::map<std::string, double>> ReadMetricValues(const std::vector<MetricSpec>& metrics,
                                                       std::string_view output);

// The metric's value if this one line gives it, for live limits. A line that names the metric and
// has no number is an Error; one that does not name it is nullopt.
Result<std::optional<double>> ReadLiveValue(const MetricSpec& metric, std::string_view line);

}  // namespace hone::sysctl
