// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/chat/agent_log.h"
#include "hone/agent/chat/chat_budget.h"
#include "hone/agent/chat/chat_model.h"
#include "hone/agent/chat/chat_settings.h"
#include "hone/cli/verb.h"
#include "hone/core/result.h"

namespace hone::cli {

// What every action of `hone agent` writes.
struct AgentFiles {
  std::string output;  // -o: what was found.
  std::string log;     // Empty: beside the store.
  bool begins_again = false;
};

// The target outlives the flags.
std::vector<Flag> AgentFileFlags(AgentFiles& files);

// The log to go on with, or a new one. Without one of the user's it is FOLDER/DIGEST.jsonl beside
// the store, the digest that of what is asked for: the same command finds it again.
Result<agent::AgentLog> OpenActionLog(Shell& shell, const AgentFiles& files,
                                      std::string_view folder, std::string_view asked);

// The budget of the command: what it spent before it was killed, or stopped, counts. Kept in a file
// with the log's name and .spent.
Result<std::shared_ptr<agent::ChatBudget>> OpenActionBudget(const Shell& shell,
                                                            const AgentFiles& files,
                                                            std::string_view folder,
                                                            std::string_view asked,
                                                            agent::ChatSettings chat);

// kInvalidArgument: no model is named, and no log of the user's could hold its answers.
Result<void> CheckAnswersAreThere(const AgentFiles& files, const agent::ChatSettings& chat);

// The model that is named. Where none is, all that is not in the log fails.
Result<std::unique_ptr<agent::ChatModel>> OpenActionModel(const Shell& shell,
                                                          const agent::ChatSettings& chat);

}  // namespace hone::cli
