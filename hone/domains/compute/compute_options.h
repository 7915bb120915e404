// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/domains/compute/judge_terms.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/domains/compute/workflow.h"
#include "hone/domains/domain.h"

namespace hone::compute {

const std::vector<OptionFacts>& ComputeOptionFacts();

struct ComputeOptions {
  Problem problem;
  JudgeSettings settings;
  JudgeTerms terms;
};

Result<ComputeOptions> ReadComputeOptions(const Options& options);

}  // namespace hone::compute
