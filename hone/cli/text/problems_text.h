// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/app/kernel/problem_import.h"
#include "hone/base/json/json.h"
#include "hone/cli/console.h"

// Problems as people read them.
namespace hone::cli {

struct ListedProblem {
  std::string name;
  std::string backend;
  std::string summary;
  std::vector<std::string> traps;
  std::string folder;  // Empty for one that is built in.
  std::optional<app::Screening> screening;
};

std::string ProblemsTable(const std::vector<ListedProblem>& problems, const Ink& ink);
Json ListJson(const std::vector<ListedProblem>& problems);

// What became of an import: counts, the names of what accepts degenerate answers, and of what was
// not screened by reason.
std::string ImportSummary(const app::ImportReport& report, const Ink& ink);
Json ImportJson(const app::ImportReport& report);

// "[12/250] level1/19_ReLU: sound", for a log.
std::string StepLine(const app::ImportStep& step);

}  // namespace hone::cli
