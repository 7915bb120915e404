// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "hone/app/kernel/problem_screening.h"
#include "hone/core/result.h"

namespace hone::app {

// Where imported problems are, unless somebody says otherwise: beside the store.
std::filesystem::path ProblemsFolder(const std::filesystem::path& store);

// A name or a folder as compute::ProblemAt takes it: that of an imported problem is its folder.
std::string PlaceOfProblem(const std::filesystem::path& store, const std::string& problem);

struct ImportOrder {
  std::filesystem::path checkout;  // Of KernelBench.
  std::filesystem::path into;
  std::set<int> levels;  // Empty: all that can be imported.
  std::string only;      // A pattern of the shell over names, or a part of one; empty: all.
  bool wants_screening = true;
  std::chrono::milliseconds timeout{60'000};  // For each evaluation of a screening.
};

enum class ImportState { kNew, kUpdated, kUnchanged, kFailed };
std::string_view NameOf(ImportState state);

struct ImportedProblem {
  std::string name;
  ImportState state = ImportState::kFailed;
  std::string error;                   // Where it failed.
  std::optional<Screening> screening;  // What is known now.
};

struct ImportReport {
  std::string commit;
  std::filesystem::path into;
  std::vector<ImportedProblem> problems;
  std::size_t with_weights = 0;  // Of level 4, not imported.
  bool is_stopped = false;       // Before all were screened.
  std::string no_screening;      // Why nothing can be screened here.
};

struct ImportStep {
  std::size_t number = 0;  // From 1.
  std::size_t count = 0;
  const ImportedProblem* problem = nullptr;
  bool is_screening = false;  // That has just begun.
};

struct ImportTools {
  std::function<void(const ImportStep& step)> tell;
  JudgeTask judge;
  std::string torch;     // The version that screens;
  std::string no_torch;  // or why there is none.
  std::stop_token stop;
};

// First imports all, then screens what is not known yet; each is on disk before the next one
// begins, so that another call goes on where this one was ended. kNotFound if the folder is no
// checkout, kInvalidArgument for a level that is not imported or a pattern that nothing has, kStale
// if another process writes there.
Result<ImportReport> ImportProblems(const ImportOrder& order, const ImportTools& tools);

}  // namespace hone::app
