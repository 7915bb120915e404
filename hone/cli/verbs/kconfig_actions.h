// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hone/app/kconfig/kconfig_source.h"
#include "hone/cli/verb.h"
#include "hone/kconfig/values/configuration.h"

// What `hone kconfig ACTION` does; verb_kconfig.cc has the flags.
namespace hone::cli {

// Of `conf` the tree is the first of its own arguments.
struct KconfigRequest : app::KconfigSource {
  std::string action;
  std::vector<std::string> operands;  // After the tree.
  std::string output;                 // --output
  std::string form = "config";        // write --as
  int depth = 2;                      // tree --depth
  std::vector<std::string> kept;      // solve --keep
  int alternatives = 1;               // solve --alternatives
  int limit = 10;                     // search --limit
  std::string metric;                 // bisect --metric
  bool is_interactive = false;        // boot --interactive
  bool is_sure = false;               // install --yes
  double worse_than = 0;              // bisect --worse-than, a share
};

// How the tree is read: flags of the verbs that open one. The request outlives them.
std::vector<Flag> KconfigTreeFlags(KconfigRequest& request);

using app::FindSymbol;
using app::OpenedTree;

// Loads it. Warnings go to standard error unless the shell is quiet; the first error is the
// Error.
Result<OpenedTree> OpenKconfigTree(Shell& shell, const KconfigRequest& request);

// With the values of --config if there is one, else with all defaults.
Result<kconfig::Configuration> StartConfiguration(Shell& shell, const KconfigRequest& request,
                                                  const OpenedTree& opened);

Result<ExitCode> KconfigInfo(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigGet(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigTree(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigSet(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigDiff(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigWrite(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigMode(Shell& shell, const KconfigRequest& request);  // olddefconfig, …
Result<ExitCode> KconfigInstall(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigBoot(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigCompare(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigBisect(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigConf(Shell& shell, const KconfigRequest& request);

}  // namespace hone::cli
