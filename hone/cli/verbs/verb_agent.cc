// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "hone/cli/text/help.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/action.h"
#include "hone/cli/verbs/agent_actions.h"
#include "hone/cli/verbs/chat_flags.h"
#include "hone/core/nearest.h"

namespace hone::cli {
namespace {

constexpr Action<AgentRequest> kAgentActions[] = {
    {"kconfig", "kconfig TREE",
     "Leads a language model down the menus of a source tree, for --goal: every answer is checked "
     "against the tree's rules, and honoured or refused with the reason.",
     AgentKconfig},
    {"kernel", "kernel PROBLEM",
     "Lets a language model write a kernel in rounds: each is compiled, checked and timed in a "
     "sandbox, and the model told what came out; the best is measured again on fresh runs.",
     AgentKernel},
    {"bench", "bench [PROBLEM...]",
     "How well a model writes kernels: how many build and are right, Fast@p over the rounds by the "
     "estimate and by the lower bound, pass@k. All problems of the processor if none is named.",
     AgentBench},
    {"calibrate", "calibrate [RUN...]",
     "Asks a model for its opinion on the changes that stored campaigns measured (20 at least), "
     "for "
     "--goal, and says how far the two go together; without a shown correlation its opinion has no "
     "weight.",
     AgentCalibrate}};

std::string AgentHelp() { return "\nActions:\n" + TwoColumns(ActionRows(kAgentActions)); }

Result<ExitCode> RunAgentAction(Shell& shell, const AgentRequest& request) {
  for (const auto& action : kAgentActions) {
    if (request.action == action.name) return action.run(shell, request);
  }
  return Error{Errc::kInvalidArgument,
               NoSuch("action", request.action, ActionNames(kAgentActions))};
}

std::vector<Flag> AgentOperands(AgentRequest& request) {
  return {{.names = "ACTION",
           .value = "",
           .help = "What to do: one of those below.",
           .set = Store(request.action),
           .is_required = true,
           .completes = Completes::kChoices,
           .choices = ActionNames(kAgentActions)},
          {.names = "WHAT",
           .value = "",
           .help = "kconfig: the folder of the source tree; kernel, bench: names of data/problems, "
                   "or folders that hold a problem; "
                   "calibrate: stored campaigns (last).",
           .set = Append(request.operands),
           .is_repeatable = true,
           .completes = Completes::kFile}};
}

}  // namespace

Verb MakeAgentVerb() {
  const auto request = std::make_shared<AgentRequest>();
  Verb verb;
  verb.name = "agent";
  verb.summary = "lets a language model choose, and believes nothing that it says";
  verb.description =
      "A language model behind any OpenAI-compatible endpoint proposes; what it says is\n"
      "checked before it counts. Every question and answer is logged; the same command\n"
      "goes on after a kill. docs/howto/walk-kernel-options.md,\n"
      "docs/howto/use-a-language-model.md\n"
      "\n"
      "Ctrl-C ends the asking; of kernel the best so far is still proven, and a second one\n"
      "ends that too. Exit status: 0 done (kernel: a proven gain; calibrate: a weight;\n"
      "kconfig --measure: a better kernel); 1 done, and the answer is no; 4 cut short, or\n"
      "the best is not proven; 6 of --measure: the kernel of the beginning does not run.";
  verb.flags = AgentOperands(*request);
  for (Flag& flag : AgentFileFlags(request->files)) verb.flags.push_back(std::move(flag));
  for (Flag& flag : AgentKconfigFlags(request->kconfig)) verb.flags.push_back(std::move(flag));
  for (Flag& flag : AgentKernelFlags(request->kernel)) verb.flags.push_back(std::move(flag));
  for (Flag& flag : ChatFlags(request->chat)) verb.flags.push_back(std::move(flag));
  verb.examples = {
      {"hone agent kconfig linux-6.1 -c .config --goal \"faster system calls\" --llm "
       "http://127.0.0.1:8000 -o new.config",
       "A .config for that goal; what was refused and why."},
      {"hone agent kconfig linux-6.1 -c .config --goal \"faster system calls\" --from walk.jsonl",
       "The same from its log, without a model."},
      {"hone agent kernel softmax --lines 8 --rounds 4 --llm http://127.0.0.1:8000 -o softmax.cc",
       "The fastest kernel that eight conversations of four turns find, proven again."},
      {"hone agent bench saxpy softmax --llm http://127.0.0.1:8000 --json",
       "How well the model does on two problems."}};
  verb.run = [request](Shell& shell) { return RunAgentAction(shell, *request); };
  verb.more_help = AgentHelp;
  return verb;
}

}  // namespace hone::cli
