// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hone/agent/kernel/kernel_proof.h"
#include "hone/agent/kernel/kernel_scores.h"
#include "hone/agent/kernel/kernel_search.h"
#include "hone/base/json/json.h"
#include "hone/cli/exit_code.h"

// What language models that write kernels came to, as people and programs read it.
namespace hone::cli {

// "2.31x [95 %: 2.28, 2.34]"; empty without one.
std::string KernelSpeedupText(const std::optional<agent::Speedup>& speedup);

// Of one search: the winner and its lineage, or why there is none.
std::string ProofText(const std::string& problem, const agent::KernelSearchResult& result,
                      const agent::KernelProof& proof);
Json ProofJson(const agent::KernelSearchResult& result, const agent::KernelProof& proof);
ExitCode ExitCodeOf(const agent::KernelSearchResult& result, const agent::KernelProof& proof);

// What was lost, and whether it goes on.
std::string NotesText(const agent::KernelSearchResult& result);

std::string ScoresText(const agent::KernelScores& scores);
Json ScoresJson(const agent::KernelScores& scores);

}  // namespace hone::cli
