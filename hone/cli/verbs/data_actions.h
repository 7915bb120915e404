// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/agent/data/question_row.h"
#include "hone/agent/data/split.h"
#include "hone/base/json/json.h"
#include "hone/cli/verb.h"
#include "hone/cli/verbs/kconfig_actions.h"

// What `hone data ACTION` does; verb_data.cc has the flags.
namespace hone::cli {

struct DataRequest {
  std::string action;
  std::vector<std::string> operands;
  KconfigRequest tree;  // questions: how the tree is read.
  std::string goal;
  std::vector<std::string> needs;    // --needs NAME=VALUE
  std::vector<std::string> effects;  // --effects RUN
  std::string aim;                   // --known AIM
  bool needs_label = false;
  std::size_t max_items = 9;
  std::string output = "-";
  std::string by = "option";
  agent::SplitSettings split;
  std::vector<std::string> held_out;  // import --validation-log
  std::string trainer;                // export --as
  bool is_service = false;            // episodes --service
};

// Rows as lines to --out, and the sentence to standard error. With --json standard output is one
// document: the summary, with the rows in it unless they went to a file.
Result<void> WriteRows(Shell& shell, const std::string& output, const std::vector<Json>& rows,
                       Json summary, const std::string& sentence);
std::vector<Json> JsonOf(const std::vector<agent::QuestionRow>& rows);

Result<ExitCode> DataQuestions(Shell& shell, const DataRequest& request);
Result<ExitCode> DataCheck(Shell& shell, const DataRequest& request);
Result<ExitCode> DataSplit(Shell& shell, const DataRequest& request);
Result<ExitCode> DataImport(Shell& shell, const DataRequest& request);
Result<ExitCode> DataEpisodes(Shell& shell, const DataRequest& request);
Result<ExitCode> DataExport(Shell& shell, const DataRequest& request);

}  // namespace hone::cli
