// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "hone/core/metric.h"
#include "hone/core/reward.h"
#include "hone/measure/paired.h"

// Numbers as the report says them. Not escaped; the space before a per cent sign does not break.
namespace hone::report {

// A reward in per cent of the baseline, whichever formula made it; NaN and infinities stay.
double RewardPercent(const RewardRule& rule, double reward);

std::string PercentText(double percent);            // "10.2 %", "0.31 %"
std::string SignedPercentText(double percent);      // "+10.2 %", "−0.31 %"
std::string IntervalText(double low, double high);  // In per cent: "+8.1 % to +12.4 %"
std::string PValueText(double p);                   // "p = 0.012", "p < 0.0001"
std::string NumberText(double value);  // Four digits that count: "1012", "0.9876", "3.1e+09"
std::string DurationText(std::chrono::microseconds duration);        // "12.3 s", "4 min 10 s"
std::string CountText(std::int64_t count, const std::string& noun);  // "1 run", "12 runs"

}  // namespace hone::report
