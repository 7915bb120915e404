// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "hone/core/result.h"
#include "hone/core/reward.h"

// Values as people write them on a command line or in a file. Each takes the whole text or returns
// an Error that names `flag`, what was found and what is expected.
namespace hone {

// "90s", "10m", "1.5h", "250ms"; a bare number is seconds.
Result<std::chrono::milliseconds> ParseDuration(std::string_view flag, std::string_view text);

// A share: "5%" and "0.05" are the same.
Result<double> ParseShare(std::string_view flag, std::string_view text);

// A whole number in this range.
Result<std::int64_t> ParseCount(std::string_view flag, std::string_view text, std::int64_t min,
                                std::int64_t max = 1'000'000'000);
Result<std::uint64_t> ParseSeed(std::string_view flag, std::string_view text);

// "name=value"; the value may be empty or hold further signs.
Result<std::pair<std::string, std::string>> ParseSetting(std::string_view flag,
                                                         std::string_view text);

// "p99_ms<=20" or, relative to the baseline, "p99_ms<=1.05x"; also ">=". Spaces are allowed.
Result<Limit> ParseLimit(std::string_view flag, std::string_view text);

// "throughput" or "throughput:2", which has twice the weight. The direction is the domain's to say.
Result<Objective> ParseObjective(std::string_view flag, std::string_view text);

}  // namespace hone
