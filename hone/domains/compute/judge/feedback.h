// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/domains/compute/judge/roofline.h"
#include "hone/domains/compute/judge_terms.h"
#include "hone/domains/compute/runner/runner.h"
#include "hone/domains/domain.h"

// What whoever wrote a kernel needs to know to make it right or faster: the evidence "feedback" of
// every evaluation, whatever its outcome. docs/api.md has its members.
namespace hone::compute {

inline constexpr std::size_t kMaxFeedbackText = 1500;

// From the result alone and, where times are among its evidence, from what the problem declares for
// the shape that was timed. `text` in it is the same for a prompt, in at most kMaxFeedbackText
// bytes. Each figure says in its `source` where it comes from.
Json FeedbackOf(const RunResult& result, const Roofline& roofline, bool has_device,
                const JudgeTerms& terms);

// The evidence "kernels".
Json LaunchesJson(const std::vector<LaunchFacts>& launches);

}  // namespace hone::compute
