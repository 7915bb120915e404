// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/core/nearest.h"

namespace hone {

// "metric throughputt: no such metric; did you mean throughput? There are: throughput, latency_ms"
std::string NoSuch(std::string_view kind, std::string_view word,
                   const std::vector<std::string>& known);

}  // namespace hone
