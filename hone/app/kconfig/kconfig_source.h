// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/kconfig/files/kernel_environment.h"
#include "hone/kconfig/files/load.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::app {

// A Kconfig tree and the values to begin with, as somebody names them.
struct KconfigSource {
  std::string tree;  // A folder.
  std::string arch;
  std::string config;   // The .config to begin with; empty: all defaults.
  std::string dialect;  // Empty: as the tree looks.
  std::string shell = "restricted";
  std::string shell_table;
  std::vector<std::string> granted;  // Folders outside that the tree may read too.
  std::vector<std::string> passed;   // Variables of the environment that it may see too.
  bool has_memo = true;
  bool has_snapshot = true;
};

struct OpenedTree {
  kconfig::TreePlace place;
  kconfig::LoadOptions options;
  kconfig::Loaded loaded;
  std::shared_ptr<const kconfig::Tree> tree;
  std::vector<std::string> warnings;  // A line each.
};

// The folders as LoadOptions takes them; kInvalidArgument for one that is not there.
Result<std::vector<std::filesystem::path>> GrantedFolders(const KconfigSource& source);

// How the tree is to be loaded.
Result<kconfig::LoadOptions> KconfigLoadOptions(const KconfigSource& source,
                                                kconfig::TreePlace& place);

// Loads it. The first error of the tree is the Error.
Result<OpenedTree> OpenKconfigTree(const KconfigSource& source);

// The values to begin with; warnings about the .config are added to `warnings`.
Result<kconfig::Configuration> StartConfiguration(const KconfigSource& source,
                                                  const OpenedTree& opened,
                                                  std::vector<std::string>& warnings);

// The symbol, without or with its CONFIG_; an Error that names near ones if there is none.
Result<kconfig::SymbolId> FindSymbol(const kconfig::Tree& tree, std::string name);

kconfig::Environment ProcessEnvironment();

}  // namespace hone::app
