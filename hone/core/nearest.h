// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The known name that was probably meant; none if nothing is close.
std::optional<std::string> Nearest(std::string_view word, const std::vector<std::string>& known);

// "metric throughputt: no such metric; did you mean throughput? There are: throughput, latency_ms"
std::string NoSuch(std::string_view kind, std::string_view word,
                   const std::vector<std::string>& known);

}  // namespace hone
