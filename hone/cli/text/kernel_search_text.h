// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/agent/chat/chat_budget.h"
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

// Of the searches of several problems.
struct BenchReport {
  struct Failure {
    std::string problem;
    std::string why;  // Not one attempt could be made.
  };
  agent::KernelScores scores = {};  // Of the problems with attempts.
  std::vector<std::string> notes = {};
  std::vector<Failure> failed = {};
  bool is_cut_short = false;
  agent::ChatSpending spent = {};
};
std::string BenchText(const BenchReport& report);  // Without what was spent.
Json BenchJson(const BenchReport& report);
ExitCode ExitCodeOf(const BenchReport& report);

}  // namespace hone::cli
