// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/agent/data/option_facts.h"
#include "hone/core/result.h"

namespace hone::app {

// What data/kernels/knowledge.json says is better for an aim ("throughput", "latency", "size", …),
// as labels. What is protected stays. A reason to try, not a result: the labels say so.
Result<agent::OptionFacts> KnownOptionFacts(const std::string& aim);

}  // namespace hone::app
