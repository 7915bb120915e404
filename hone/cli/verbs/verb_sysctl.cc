// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "hone/base/json/parse_values.h"
#include "hone/cli/text/help.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/action.h"
#include "hone/cli/verbs/sysctl_actions.h"
#include "hone/core/nearest.h"

namespace hone::cli {
namespace {

constexpr Action<SysctlRequest> kSysctlActions[] = {
    {"list", "list", "What can be tuned here, with the value in force.", ListParameters},
    {"show", "show NAME…", "All about a parameter: a page each.", ShowParameter},
    {"apply", "apply FILE", "Sets what the file says, all or nothing, and keeps the old values.",
     ApplySettings},
    {"confirm", "confirm", "Keeps what apply --confirm-within set.", ConfirmSettings},
    {"diff", "diff [FILE]",
     "What differs from the file or, without one, from before the last apply.", DiffSettings},
    {"restore", "restore", "Puts back what an apply or a killed tuner left behind.",
     RestoreSettings}};

struct SysctlArguments {
  std::string action;
  SysctlRequest request;
};

std::string SysctlHelp() { return "\nActions:\n" + TwoColumns(ActionRows(kSysctlActions)); }

Result<ExitCode> RunSysctlAction(Shell& shell, const SysctlArguments& arguments) {
  for (const auto& action : kSysctlActions) {
    if (arguments.action == action.name) return action.run(shell, arguments.request);
  }
  return Error{Errc::kInvalidArgument,
               NoSuch("action", arguments.action, ActionNames(kSysctlActions))};
}

std::vector<Flag> ListFlags(SysctlRequest& request) {
  const auto store = [](std::optional<std::string>& target) {
    return [&target](const std::string& text) -> Result<void> {
      target = text;
      return {};
    };
  };
  return {{.names = "--for",
           .value = "WORD",
           .help = "list: only what matters for it: memory, web, database, network, writes, …",
           .set = store(request.word)},
          {.names = "--risk",
           .value = "RISK",
           .help = "list: only this class.",
           .set = store(request.risk),
           .completes = Completes::kChoices,
           .choices = {"safe", "capacity", "sticky", "disruptive", "link_reset", "reservation",
                       "denied"}},
          {.names = "--all",
           .value = "",
           .help = "list: also what this machine does not have, and what is never tuned.",
           .set = Raise(request.wants_all)}};
}

std::vector<Flag> ApplyFlags(SysctlRequest& request) {
  return {
      {.names = "--confirm-within",
       .value = "TIME",
       .help = "apply: puts everything back after this time, unless hone sysctl confirm comes "
               "first; 60s, 5m.",
       .set = StoreParsed("--confirm-within", ParseDuration, request.confirm_within)},
      {.names = "--allow-unknown",
       .value = "",
       .help = "apply: also parameters of which nothing is known; never denied ones.",
       .set = Raise(request.is_unknown_allowed)},
      {.names = "--allow-disruptive",
       .value = "",
       .help = "apply: also what resets a network link when it is set.",
       .set = Raise(request.is_disruption_allowed)},
      {.names = "--service",
       .value = "NAME|FILE",
       .help =
           "apply, diff: the declaration of a service whose keys (cache:threads) the file sets, "
           "where Hone has none of its own: a file of settings only names services.",
       .set = Append(request.services),
       .is_repeatable = true,
       .completes = Completes::kFile},
      {.names = "--boot",
       .value = "",
       .help = "restore: as the unit that runs at boot does.",
       .set = Raise(request.wants_boot)},
      {.names = "--applied",
       .value = "",
       .help = "restore: undoes the last apply that was to stay.",
       .set = Raise(request.wants_applied)}};
}

}  // namespace

Verb MakeSysctlVerb() {
  const auto arguments = std::make_shared<SysctlArguments>();
  SysctlRequest& request = arguments->request;
  Verb verb;
  verb.name = "sysctl";
  verb.summary = "lists, explains, applies and restores kernel parameters";
  verb.description =
      "Kernel parameters are files below /proc/sys and /sys, and what ethtool(8) sets of\n"
      "network devices: /ethtool/eth0/ring/rx. Hone knows of each what it does, its range,\n"
      "and what can go wrong; what it does not know it does not touch.";
  verb.flags = {{.names = "ACTION",
                 .value = "",
                 .help = "list, show, apply, confirm, diff or restore.",
                 .set = Store(arguments->action),
                 .is_required = true,
                 .completes = Completes::kChoices,
                 .choices = ActionNames(kSysctlActions)},
                {.names = "NAME",
                 .value = "",
                 .help = "Parameters for show, or the file for apply and diff.",
                 .set = Append(request.operands),
                 .is_repeatable = true,
                 .completes = Completes::kFile}};
  for (auto&& flags : {ListFlags(request), ApplyFlags(request)}) {
    verb.flags.insert(verb.flags.end(), flags.begin(), flags.end());
  }
  verb.examples = {{"hone sysctl list --for database", "What can matter for a database."},
                   {"hone sysctl show vm.dirty_bytes net.ipv4.tcp_rmem", "A page on each."},
                   {"hone sysctl apply 90-hone.conf --confirm-within 60s",
                    "Tries a file; without `hone sysctl confirm` all is back after a minute."}};
  verb.more_help = SysctlHelp;
  verb.run = [arguments](Shell& shell) { return RunSysctlAction(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli
