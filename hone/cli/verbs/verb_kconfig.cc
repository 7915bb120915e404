// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "hone/cli/text/help.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/action.h"
#include "hone/cli/verbs/kconfig_actions.h"
#include "hone/cli/verbs/kconfig_reason.h"
#include "hone/core/nearest.h"
#include "hone/kconfig/conf/conf.h"

namespace hone::cli {
namespace {

constexpr Action<KconfigRequest> kKconfigActions[] = {
    {"info", "info [TREE [NAME…]]", "What kind of tree it is and what it holds; of names like get.",
     KconfigInfo},
    {"get", "get TREE NAME…",
     "Symbols with value, type, prompt, dependencies and place; of Linux's options what they are "
     "good for, where that is known.",
     KconfigGet},
    {"set", "set TREE NAME=VALUE…", "What else changes if these are set; -o writes the .config.",
     KconfigSet},
    {"explain", "explain TREE NAME[=VALUE]…",
     "Why a symbol has its value, or what keeps it from another.", KconfigExplain},
    {"solve", "solve TREE NAME=VALUE…",
     "The smallest change that makes it so, or a proof that there is none; -o writes the .config.",
     KconfigSolve},
    {"judge", "judge TREE NAME=VALUE…",
     "Accepts a change as a whole with its consequences, or tells what is wrong with each part.",
     KconfigJudge},
    {"search", "search TREE WORD…", "Symbols by name, prompt and help.", KconfigSearch},
    {"walk", "walk TREE [MENU]", "One menu as questions: what may be set there, and to what.",
     KconfigWalk},
    {"groups", "groups TREE [MENU]",
     "The same dealt out in groups of one kind (Choice, Value, Bool, Menu) as JSON, for language "
     "models.",
     KconfigGroups},
    {"tree", "tree TREE [NAME]", "The menu tree, from the top or from a symbol.", KconfigTree},
    {"diff", "diff TREE FILE FILE", "What two .config files really differ in.", KconfigDiff},
    {"write", "write TREE", "A file of the configuration, --as config, defconfig, auto.conf, …",
     KconfigWrite},
    {"install", "install PACKAGE",
     "Installs what it takes to build and boot Linux, and unpacks a source package of Debian "
     "(linux-source-6.1), by whose name the tree is then found.",
     KconfigInstall},
    {"boot", "boot TREE [NAME=VALUE…]",
     "Builds Linux from -c FILE (or a small configuration of ours), boots it and measures it.",
     KconfigBoot},
    {"compare", "compare TREE FILE FILE",
     "Builds and boots two configurations, and measures the second against the first.",
     KconfigCompare},
    {"bisect", "bisect TREE GOOD BAD",
     "The smallest set of options that breaks the build, the boot or (--metric) the speed.",
     KconfigBisect},
    {"conf", "conf MODE FILE",
     "Stands where the kernel's scripts/kconfig/conf stands; see scripts/hone-conf.", KconfigConf}};

std::vector<std::string> ActionAndModeNames() {
  std::vector<std::string> names = ActionNames(kKconfigActions);
  for (std::string& mode : kconfig::ConfModeNames()) names.push_back(std::move(mode));
  return names;
}

std::string KconfigHelp() {
  auto rows = ActionRows(kKconfigActions);
  rows.emplace_back("olddefconfig TREE",
                    "And its sisters, in the current folder: defconfig (with a FILE or the name of "
                    "one of the tree's after it; else the usual one), savedefconfig (with a FILE), "
                    "alldefconfig, allnoconfig, allyesconfig, allmodconfig, "
                    "randconfig, listnewconfig, helpnewconfig, oldconfig, oldaskconfig, "
                    "syncconfig, yes2modconfig, mod2yesconfig, mod2noconfig.");
  return "\nActions:\n" + TwoColumns(rows);
}

Result<ExitCode> RunKconfigAction(Shell& shell, KconfigRequest request) {
  if (request.action == "info" && request.tree.empty()) request.tree = ".";
  for (const auto& action : kKconfigActions) {
    if (request.action != action.name) continue;
    if (request.tree.empty()) {
      return Error{Errc::kInvalidArgument, fmt::format("TREE: missing; usage: {}", action.usage)};
    }
    return action.run(shell, request);
  }
  if (!kconfig::ConfModeNamed(request.action)) {
    return Error{Errc::kInvalidArgument, NoSuch("action", request.action, ActionAndModeNames())};
  }
  if (request.tree.empty()) return Error{Errc::kInvalidArgument, "TREE: missing"};
  return KconfigMode(shell, request);
}

std::vector<Flag> Operands(KconfigRequest& request) {
  return {{.names = "ACTION",
           .value = "",
           .help = "info, get, set, explain, solve, judge, search, walk, groups, tree, diff, "
                   "write, install, boot, compare, bisect, conf, or "
                   "a mode such as olddefconfig.",
           .set = Store(request.action),
           .is_required = true,
           .completes = Completes::kChoices,
           .choices = ActionAndModeNames()},
          {.names = "TREE",
           .value = "",
           .help = "The folder of the source tree.",
           .set = Store(request.tree),
           .completes = Completes::kFile},
          {.names = "NAME",
           .value = "",
           .help = "Symbols, settings or files, as the action has it.",
           .set = Append(request.operands),
           .is_repeatable = true}};
}

std::vector<Flag> Switches(KconfigRequest& request) {
  return {{.names = "--arch",
           .value = "ARCH",
           .help = "The architecture; $ARCH or this machine's if not given.",
           .set = Store(request.arch)},
          {.names = "-c,--config",
           .value = "FILE",
           .help = "The .config to begin with; without one all symbols have their defaults.",
           .set = Store(request.config),
           .completes = Completes::kFile},
          {.names = "-o,--output",
           .value = "FILE",
           .help = "set, solve, judge, write: where the result goes; - is standard output.",
           .set = Store(request.output),
           .completes = Completes::kFile},
          {.names = "--as",
           .value = "FORM",
           .help = "write: config (default), defconfig, auto.conf, autoconf.h or rustc_cfg.",
           .set = Store(request.form),
           .completes = Completes::kChoices,
           .choices = {"config", "defconfig", "auto.conf", "autoconf.h", "rustc_cfg"}},
          {.names = "--depth",
           .value = "LEVELS",
           .help = "tree: how deep; 2 if not given.",
           .set = StoreCount("--depth", request.depth, 0, 1000)},
          {.names = "--keep",
           .value = "NAME",
           .help = "solve: a symbol whose value must not change.",
           .set = Append(request.kept),
           .is_repeatable = true},
          {.names = "--alternatives",
           .value = "COUNT",
           .help = "solve: how many answers at most, best first; 1 if not given.",
           .set = StoreCount("--alternatives", request.alternatives, 1, 1000)},
          {.names = "--limit",
           .value = "COUNT",
           .help = "search: how many symbols at most; groups: how many questions in one; 10 if not "
                   "given.",
           .set = StoreCount("--limit", request.limit, 1, 1000)},
          {.names = "--interactive",
           .value = "",
           .help = "boot: a shell on the guest's console instead of measuring; Ctrl-A x ends it. "
                   "Needs busybox-static.",
           .set = Raise(request.is_interactive)},
          {.names = "-y,--yes",
           .value = "",
           .help = "install: without asking.",
           .set = Raise(request.is_sure)},
          {.names = "--metric",
           .value = "NAME",
           .help = "bisect: bad is what is slower by this metric (index, fork, boot, …), not what "
                   "is broken.",
           .set = Store(request.metric)},
          {.names = "--worse-than",
           .value = "SHARE",
           .help = "bisect: by how much, as in 5%.",
           .set = StoreParsed("--worse-than", ParseShare, request.worse_than)}};
}

}  // namespace

std::vector<Flag> KconfigTreeFlags(KconfigRequest& request) {
  return {
      {.names = "--dialect",
       .value = "NAME",
       .help = "The rules of the language; found out from the tree if not given.",
       .set = Store(request.dialect),
       .completes = Completes::kChoices,
       .choices = kconfig::DialectNames()},
      {.names = "--shell",
       .value = "POLICY",
       .help = "What $(shell,…) may do: restricted (default: sees the tree alone, no network), run "
               "(as you), recorded (from --shell-table alone) or refuse.",
       .set = Store(request.shell),
       .completes = Completes::kChoices,
       .choices = {"restricted", "run", "recorded", "refuse"}},
      {.names = "--shell-table",
       .value = "FILE",
       .help = "Results of commands, asked first. docs/formats/kconfig-shell-table.md",
       .set = Store(request.shell_table),
       .completes = Completes::kFile},
      {.names = "--read",
       .value = "DIR",
       .help = "A folder outside the tree that it and its commands may read too, as of a "
               "toolchain.",
       .set = Append(request.granted),
       .is_repeatable = true,
       .completes = Completes::kFile},
      {.names = "--pass",
       .value = "NAME",
       .help = "A variable of the environment that the tree may see too; the usual ones it "
               "does.",
       .set = Append(request.passed),
       .is_repeatable = true},
      {.names = "--no-memo",
       .value = "",
       .help = "Neither uses nor keeps anything of other runs: results of commands, and trees.",
       .set = [&request](const std::string&) -> Result<void> {
         request.has_memo = false;
         return {};
       }},
      {.names = "--no-snapshot",
       .value = "",
       .help = "Parses the tree even if it was parsed before and nothing has changed.",
       .set = [&request](const std::string&) -> Result<void> {
         request.has_snapshot = false;
         return {};
       }}};
}

Verb MakeKconfigVerb() {
  const auto request = std::make_shared<KconfigRequest>();
  Verb verb;
  verb.name = "kconfig";
  verb.summary = "reads, checks, changes and writes the build options of a kernel tree";
  verb.description =
      "Loads a source tree that is configured with Kconfig (Linux, U-Boot, Zephyr, …) and\n"
      "does what its own tool does, byte for byte, and more. It finds the environment\n"
      "itself; variables such as ARCH, CC and KCONFIG_CONFIG are obeyed. docs/kconfig.md";
  verb.flags = Operands(*request);
  for (Flag& flag : Switches(*request)) verb.flags.push_back(std::move(flag));
  for (Flag& flag : KconfigTreeFlags(*request)) verb.flags.push_back(std::move(flag));
  verb.examples = {{"hone kconfig info linux-source-6.1", "What the tree holds."},
                   {"hone kconfig get linux-source-6.1 PREEMPT HZ_1000",
                    "Their values, and what they are known to be good for."},
                   {"hone kconfig set linux-6.1 SMP=n -c .config", "What else would change."},
                   {"hone kconfig solve linux-6.1 I2C_GPIO=y -c .config",
                    "The smallest change that switches it on."},
                   {"hone kconfig olddefconfig linux-6.1", "Brings ./.config up to date."}};
  verb.run = [request](Shell& shell) { return RunKconfigAction(shell, *request); };
  verb.more_help = KconfigHelp;
  return verb;
}

}  // namespace hone::cli
