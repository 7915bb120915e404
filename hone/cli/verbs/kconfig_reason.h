// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/cli/verbs/kconfig_actions.h"

// The actions of `hone kconfig` that give reasons: docs/kconfig-reasoning.md.
namespace hone::cli {

// NAME: why it has its value, who selects it, what depends on it. NAME=VALUE: what is in the way.
Result<ExitCode> KconfigExplain(Shell& shell, const KconfigRequest& request);

// NAME=VALUE…: the smallest change that makes it so, as a difference of .config files. Writes a
// file only with --output.
Result<ExitCode> KconfigSolve(Shell& shell, const KconfigRequest& request);

// WORDS…: symbols by name, prompt and help.
Result<ExitCode> KconfigSearch(Shell& shell, const KconfigRequest& request);

// [MENU]: one menu as questions; MENU is the number of one, its title, or a symbol
// with entries below it.
Result<ExitCode> KconfigWalk(Shell& shell, const KconfigRequest& request);

// [MENU]: the same dealt out in groups of one kind, at most --limit in one, as JSON.
Result<ExitCode> KconfigGroups(Shell& shell, const KconfigRequest& request);

// NAME=VALUE…: accepted with its consequences, or rejected with the reason for each.
Result<ExitCode> KconfigJudge(Shell& shell, const KconfigRequest& request);

}  // namespace hone::cli
