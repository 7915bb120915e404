// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <ostream>
#include <utility>

#include "hone/agent/chat/agent_log.h"
#include "hone/agent/walk/kconfig_walk.h"
#include "hone/agent/walk/walk_report.h"
#include "hone/app/kconfig/option_protection.h"
#include "hone/app/knowledge/knowledge_here.h"
#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/verbs/agent_actions.h"
#include "hone/cli/verbs/kconfig_comparison.h"
#include "hone/cli/verbs/run_flags.h"
#include "hone/cli/verbs/walk_exit_code.h"
#include "hone/kconfig/files/config_file.h"

namespace hone::cli {
namespace {

using agent::AgentLog;
using agent::WalkResult;

Result<void> CheckWalkRequest(const AgentRequest& request) {
  const AgentKconfigRequest& walk = request.kconfig;
  if (request.operands.size() != 1) {
    return Error{Errc::kInvalidArgument,
                 "TREE: expected one folder; usage: hone agent kconfig TREE "
                 "--goal TEXT"};
  }
  if (walk.goal.empty()) {
    return Error{Errc::kInvalidArgument,
                 "--goal: missing; say what the kernel shall be good at, as in --goal \"faster "
                 "system calls\""};
  }
  if (walk.from.empty() && !request.chat.is_configured()) {
    return Error{Errc::kInvalidArgument,
                 "--llm: no language model is named; give --llm URL or set HONE_LLM, or replay a "
                 "log with --from FILE"};
  }
  if (walk.measures && (request.files.output.empty() || request.files.output == "-")) {
    return Error{Errc::kInvalidArgument, "--measure: needs -o FILE, the .config that is built"};
  }
  return {};
}

constexpr const char* kWalks = "walks";  // The folder of logs.

std::string WhatIsWalked(const AgentRequest& request, const kconfig::Configuration& start) {
  return request.kconfig.goal + "\n" + kconfig::WriteConfig(start);
}

Result<AgentLog> OpenWalkLog(Shell& shell, const AgentRequest& request,
                             const kconfig::Configuration& start) {
  if (!request.kconfig.from.empty()) return AgentLog::Read(request.kconfig.from);
  return OpenActionLog(shell, request.files, kWalks, WhatIsWalked(request, start));
}

agent::WalkSettings WalkSettingsOf(Shell& shell, const AgentRequest& request,
                                   std::stop_token stop) {
  const AgentKconfigRequest& walk = request.kconfig;
  agent::WalkSettings settings;
  settings.goal = walk.goal;
  settings.opens_all = walk.opens_all;
  settings.max_items = static_cast<std::size_t>(walk.max_items);
  settings.max_tries = walk.max_tries;
  settings.max_questions = walk.max_questions;
  settings.talk.tokens = request.chat.budget_tokens;  // With what was spent before a kill.
  settings.stop = std::move(stop);
  if (!shell.is_quiet) {
    settings.progress = [&shell](const std::string& line) { shell.console.err << line << "\n"; };
  }
  return settings;
}

// What a model may look up: only if it is asked for, since tools change what the model is told and
// so what a log belongs to.
// The settings tell the tools what is in force.
std::vector<agent::Tool> WalkTools(Shell& shell, const AgentRequest& request,
                                   const agent::WalkGround& ground, agent::WalkSettings& settings) {
  if (!request.kconfig.has_tools) return {};
  using Ground = std::shared_ptr<const agent::OptionGround>;
  const auto now = std::make_shared<Ground>();
  settings.on_change = [now, index = ground.index](const kconfig::Configuration& current) {
    *now = std::make_shared<const agent::OptionGround>(agent::OptionGround{index, current});
  };
  return app::MakeKnowledgeToolsHere({app::KnowledgePath(), shell.store}, shell.clock,
                                     [now]() -> Result<Ground> { return *now; });
}

Result<WalkResult> RunWalk(Shell& shell, const AgentRequest& request,
                           const agent::WalkGround& ground) {
  auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return interrupts.error();
  const std::stop_token stop = (*interrupts)->wrap_up();
  auto log = OpenWalkLog(shell, request, ground.start);
  if (!log) return log.error();
  std::unique_ptr<agent::ChatModel> model;
  if (request.kconfig.from.empty()) {
    agent::ChatSettings chat = request.chat;
    chat.stop = stop;
    auto budget =
        OpenActionBudget(shell, request.files, kWalks, WhatIsWalked(request, ground.start), chat);
    if (!budget) return budget.error();
    chat.budget = *budget;
    auto opened = agent::OpenChatModel(chat, shell.clock);
    if (!opened) return opened.error();
    model = std::move(*opened);
  }
  agent::WalkSettings settings = WalkSettingsOf(shell, request, stop);
  const std::vector<agent::Tool> tools = WalkTools(shell, request, ground, settings);
  return agent::WalkKconfig(ground, settings, model.get(), tools, *log);
}

// Builds and boots both, and measures the result against the beginning.
Result<kernels::KernelComparison> MeasureWalk(Shell& shell, const AgentRequest& request,
                                              const kconfig::Configuration& start) {
  const std::string& output = request.files.output;
  std::string before = request.kconfig.tree.config;
  if (before.empty()) {
    before = output + ".before";
    if (auto written = WriteFileDurably(before, kconfig::WriteConfig(start)); !written) {
      return written.error();
    }
  }
  return CompareConfigs(shell, request.kconfig.tree, before, output);
}

ExitCode ExitCodeFor(const WalkResult& result) {
  return ExitCodeOfWalk(result.end, !agent::SummaryOf(result).honoured.empty());
}

Result<void> WriteWalkFiles(Shell& shell, const AgentRequest& request,
                            const kconfig::Configuration& start, const WalkResult& result) {
  const std::string& output = request.files.output;
  if (!output.empty()) {
    const std::string text = kconfig::WriteConfig(result.configuration);
    if (auto written = WriteAnswer(shell, output, text); !written) return written.error();
  }
  if (request.kconfig.fragment.empty()) return {};
  return WriteAnswer(shell, request.kconfig.fragment, agent::FragmentOf(start, result));
}

// What the walk came to is told whatever becomes of the measurement.
Result<ExitCode> TellMeasured(Shell& shell, const AgentRequest& request,
                              const kconfig::Configuration& start, const WalkResult& result) {
  const auto measured = MeasureWalk(shell, request, start);
  if (shell.wants_json) {
    Json json = agent::ToJson(start, result);
    json["measured"] = measured ? ComparisonJson(*measured) : Json(nullptr);
    shell.console.out << Dump(json) << "\n";
  } else if (measured) {
    shell.console.out << ComparisonText(*measured);
  }
  if (!measured) return measured.error();
  return ExitCodeOfMeasuredWalk(ExitCodeFor(result), measured->Answer());
}

}  // namespace

std::vector<Flag> AgentKconfigFlags(AgentKconfigRequest& request) {
  std::vector<Flag> flags = {
      {.names = "--goal",
       .value = "TEXT",
       .help = "kconfig, calibrate: what is to become better.",
       .set = Store(request.goal)},
      {.names = "--arch",
       .value = "ARCH",
       .help = "kconfig: the architecture; $ARCH or this machine's if not given.",
       .set = Store(request.tree.arch)},
      {.names = "-c,--config",
       .value = "FILE",
       .help = "kconfig: the .config to begin with; without one all options have their defaults.",
       .set = Store(request.tree.config),
       .completes = Completes::kFile},
      {.names = "--fragment",
       .value = "FILE",
       .help = "kconfig: where the lines go that differ from the beginning.",
       .set = Store(request.fragment),
       .completes = Completes::kFile},
      {.names = "--all",
       .value = "",
       .help = "kconfig: opens every menu without asking.",
       .set = Raise(request.opens_all)},
      {.names = "--allow",
       .value = "NAME",
       .help = "kconfig: a protected option that may be changed all the same.",
       .set = Append(request.allowed),
       .is_repeatable = true},
      {.names = "--max-questions",
       .value = "COUNT",
       .help = "kconfig: asks at most so many; tokens and money have --llm-budget.",
       .set = StoreCount("--max-questions", request.max_questions, 1)},
      {.names = "--group",
       .value = "COUNT",
       .help = "kconfig: how many options in one question; 10 if not given.",
       .set = StoreCount("--group", request.max_items, 1, 100)},
      {.names = "--tries",
       .value = "COUNT",
       .help = "kconfig: answers to one question at most; 3 if not given.",
       .set = StoreCount("--tries", request.max_tries, 1, 20)},
      {.names = "--from",
       .value = "FILE",
       .help = "kconfig: replays this log; no model is asked.",
       .set = Store(request.from),
       .completes = Completes::kFile},
      {.names = "--tools",
       .value = "",
       .help = "kconfig: the model may look things up in the knowledge of this machine (hone "
               "knowledge).",
       .set = Raise(request.has_tools)},
      {.names = "--measure",
       .value = "",
       .help = "kconfig: builds and boots the beginning and the result (-o), and measures one "
               "against the other, as hone kconfig compare does.",
       .set = Raise(request.measures)}};
  for (Flag& flag : KconfigTreeFlags(request.tree)) flags.push_back(std::move(flag));
  return flags;
}

Result<ExitCode> AgentKconfig(Shell& shell, const AgentRequest& request) {
  if (auto checked = CheckWalkRequest(request); !checked) return checked.error();
  AgentRequest own = request;
  AgentKconfigRequest& walk = own.kconfig;
  walk.tree.tree = request.operands.front();
  const auto opened = OpenKconfigTree(shell, walk.tree);
  if (!opened) return opened.error();
  auto start = StartConfiguration(shell, walk.tree, *opened);
  if (!start) return start.error();
  const agent::WalkGround ground{std::make_shared<const kconfig::TreeIndex>(opened->tree),
                                 std::move(*start), app::OptionProtection(walk.allowed)};
  const auto result = RunWalk(shell, own, ground);
  if (!result) return result.error();
  if (auto written = WriteWalkFiles(shell, own, ground.start, *result); !written) {
    return written.error();
  }
  if (!shell.wants_json) {
    shell.console.out << agent::ToText(ground.start, *result) << std::flush;
  }
  if (walk.measures) return TellMeasured(shell, own, ground.start, *result);
  if (shell.wants_json) {
    shell.console.out << Dump(agent::ToJson(ground.start, *result)) << "\n";
    return ExitCodeFor(*result);
  }
  const std::string& output = own.files.output;
  if (!output.empty() && output != "-" && !walk.tree.config.empty()) {
    shell.console.out << fmt::format("To measure it: {} kconfig compare {} {} {}\n",
                                     shell.invocation.program, ShellWord(walk.tree.tree),
                                     ShellWord(walk.tree.config), ShellWord(output));
  }
  return ExitCodeFor(*result);
}

}  // namespace hone::cli
