// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hone/cli/verb.h"
#include "hone/kconfig/files/kernel_environment.h"
#include "hone/kconfig/files/load.h"
#include "hone/kconfig/values/configuration.h"

// What `hone kconfig ACTION` does; verb_kconfig.cc has the flags.
namespace hone::cli {

struct KconfigRequest {
  std::string action;
  std::string tree;                   // A folder; of `conf` the first of its own arguments.
  std::vector<std::string> operands;  // After the tree.
  std::string arch;
  std::string config;   // --config: the .config to begin with.
  std::string output;   // --output
  std::string dialect;  // --dialect; empty: as the tree looks.
  std::string shell = "restricted";
  std::string shell_table;
  std::string form = "config";  // write --as
  bool has_memo = true;
  bool has_snapshot = true;
  int depth = 2;                  // tree --depth
  std::vector<std::string> kept;  // solve --keep
  int alternatives = 1;           // solve --alternatives
  int limit = 10;                 // search --limit
  std::string metric;             // bisect --metric
  bool is_interactive = false;    // boot --interactive
  double worse_than = 0;          // bisect --worse-than, a share
};

// How the tree is read: flags of the verbs that open one. The request outlives them.
std::vector<Flag> KconfigTreeFlags(KconfigRequest& request);

// A tree with the configuration that the request begins with.
struct OpenedTree {
  kconfig::TreePlace place;
  kconfig::LoadOptions options;
  kconfig::Loaded loaded;
  std::shared_ptr<const kconfig::Tree> tree;
};

// How the tree of the request is to be loaded.
Result<kconfig::LoadOptions> KconfigLoadOptions(const KconfigRequest& request,
                                                kconfig::TreePlace& place);

// Loads it. Warnings go to standard error unless the shell is quiet; the first error is the
// Error.
Result<OpenedTree> OpenKconfigTree(Shell& shell, const KconfigRequest& request);

// With the values of --config if there is one, else with all defaults.
Result<kconfig::Configuration> StartConfiguration(Shell& shell, const KconfigRequest& request,
                                                  const OpenedTree& opened);

// The symbol, without or with its CONFIG_; an Error that names near ones if there is none.
Result<kconfig::SymbolId> FindSymbol(const kconfig::Tree& tree, std::string name);

kconfig::Environment ProcessEnvironment();

Result<ExitCode> KconfigInfo(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigGet(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigTree(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigSet(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigDiff(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigWrite(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigMode(Shell& shell, const KconfigRequest& request);  // olddefconfig, …
Result<ExitCode> KconfigBoot(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigCompare(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigBisect(Shell& shell, const KconfigRequest& request);
Result<ExitCode> KconfigConf(Shell& shell, const KconfigRequest& request);

}  // namespace hone::cli
