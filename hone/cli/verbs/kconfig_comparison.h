// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/base/json/json.h"
#include "hone/cli/verbs/kconfig_actions.h"
#include "hone/domains/kconfig/kernel_comparison.h"

// Two configurations of a tree as kernels, one measured against the other.
namespace hone::cli {

// Builds, boots and measures; the first Ctrl-C ends it with the pairs so far.
Result<kernels::KernelComparison> CompareConfigs(Shell& shell, const KconfigRequest& request,
                                                 const std::string& a, const std::string& b);

std::string ComparisonText(const kernels::KernelComparison& comparison);

// By metric its effect with the interval; beside them `answer`, `missing` where metrics are, and
// `fault` where one of the two is no kernel that runs.
Json ComparisonJson(const kernels::KernelComparison& comparison);

}  // namespace hone::cli
