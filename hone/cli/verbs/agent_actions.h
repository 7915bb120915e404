// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/agent/chat/chat_settings.h"
#include "hone/agent/kernel/kernel_search.h"
#include "hone/base/json/parse_values.h"
#include "hone/cli/verb.h"
#include "hone/cli/verbs/agent_files.h"
#include "hone/cli/verbs/kconfig_actions.h"

// What `hone agent ACTION` does; verb_agent.cc has the table.
namespace hone::cli {

// Of `kconfig`.
struct AgentKconfigRequest {
  std::string goal;
  KconfigRequest tree;  // Its folder is the action's operand.
  std::string fragment;
  std::string from;  // A log to replay without a model.
  std::vector<std::string> allowed;
  bool opens_all = false;
  bool measures = false;
  bool has_tools = false;
  std::int64_t max_questions = 1'000'000;
  std::int64_t max_items = 10;
  int max_tries = 3;
};

// Of `kernel` and `bench`.
struct AgentKernelRequest {
  agent::KernelSearchSettings search;
  Options options;  // Of the domain compute.
};

struct AgentRequest {
  std::string action;
  std::vector<std::string> operands;  // After the action.
  agent::ChatSettings chat;
  AgentFiles files;
  AgentKconfigRequest kconfig;
  AgentKernelRequest kernel;
};

// The flags of one action; the request outlives them.
std::vector<Flag> AgentKconfigFlags(AgentKconfigRequest& request);

std::vector<Flag> AgentKernelFlags(AgentKernelRequest& request);

// PROBLEM: lets a model write a kernel, judges what it writes, and proves the best again.
Result<ExitCode> AgentKernel(Shell& shell, const AgentRequest& request);

// PROBLEM...: how well a model writes kernels: Fast@p over rounds, pass@k, how much of it builds.
Result<ExitCode> AgentBench(Shell& shell, const AgentRequest& request);

// [RUN...]: whether a model's opinion on changes goes along with what stored campaigns measured.
Result<ExitCode> AgentCalibrate(Shell& shell, const AgentRequest& request);

// TREE: leads a model down the menus and applies its answers.
Result<ExitCode> AgentKconfig(Shell& shell, const AgentRequest& request);

}  // namespace hone::cli
