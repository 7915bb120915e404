// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hone/kconfig/language/parser.h"
#include "hone/kconfig/shell/shell_policy.h"

namespace hone::kconfig {

struct LoadOptions {
  std::vector<std::filesystem::path> folders;  // Where the files lie; the first that has one.
  std::vector<std::filesystem::path> granted;  // Where else the tree may read: the user's word.
  std::string file = "Kconfig";
  Dialect dialect;
  Environment environment;                       // Of its user; the tree sees what visible.h says.
  std::set<std::string, std::less<>> passed;     // Variables of it that the tree sees besides.
  ShellPolicy shell = ShellPolicy::kRestricted;  // A tree is not trusted.
  ShellTable recorded;                           // Asked first, whatever the policy.
  std::filesystem::path memo;       // A folder that keeps results; empty: none are kept.
  std::filesystem::path snapshots;  // One that keeps parsed trees; empty: none are kept.
  std::string shell_folder;         // Where commands run; ours if empty, or none if unseen.
  std::chrono::milliseconds shell_timeout{60'000};  // For one command.
  std::function<void(const std::string& text)> info = nullptr;
};

struct Loaded : Parsed {
  std::size_t commands_run = 0;
  int passes = 1;  // Over the files; more than one while results of commands were missing.
  bool is_from_snapshot = false;
};

// Parses a tree. One whose commands do not run freely is not trusted: of the environment and the
// machine's files it sees what visible.h says. Commands whose result is not known run in parallel:
// a first pass over the files finds them while they already run, and only the last pass makes the
// tree. After some passes (commands that are made of the results of others) the rest run one by
// one, where they are met. A tree that a snapshot holds as it would be parsed now is taken from
// there.
Loaded LoadTree(const LoadOptions& options);

// The same as a Result: the first error as the Error.
Result<std::shared_ptr<const Tree>> LoadTreeOrError(const LoadOptions& options);

}  // namespace hone::kconfig
