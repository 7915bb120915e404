// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/agent/kernel/kernel_attempt.h"
#include "hone/agent/kernel/kernel_prompt.h"
#include "hone/app/kernel/kernel_judge.h"
#include "hone/base/json/parse_values.h"
#include "hone/domains/compute/problem/problem.h"

// Compute problems for language models that write kernels.
namespace hone::app {

// What a model is told of a problem: the declaration of the function, arrays, shapes, rules.
agent::KernelBrief BriefOf(const compute::Problem& problem);

// Judges a source against the problem as `hone eval` does, with inputs that nobody knows before.
// The judge outlives what is given.
agent::KernelJudging JudgingOf(KernelJudge& judge, const compute::Problem& problem,
                               const Options& options);

}  // namespace hone::app
