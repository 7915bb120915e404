// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hone/core/result.h"
#include "hone/kconfig/language/macro.h"
#include "hone/kconfig/shell/shell_policy.h"

namespace hone::kconfig {

// Results of shell commands, kept on disk. They are found again by the command and by the identity
// of the toolchain: which programs CC, LD and the others are, when they were changed, what PATH
// holds, which folders restricted commands saw (what one tree's commands read is not told to
// another tree), and the state of every file that the command names.
// docs/formats/kconfig-shell-table.md
class ShellMemo {
 public:
  // What was kept for this toolchain; nothing, if nothing was or if the file cannot be read.
  // An empty folder keeps nothing.
  ShellMemo(const std::filesystem::path& folder, const Environment& environment,
            const std::vector<std::filesystem::path>& visible);

  const std::string* Find(const std::string& command);
  void Add(const std::string& command, const std::string& result);

  Result<void> Save() const;  // If something was added.

 private:
  std::string KeyOf(const std::string& command);
  std::string_view StateOf(std::string_view path);

  std::filesystem::path file_;
  std::unordered_map<std::string, std::string> results_;
  std::unordered_map<std::string, std::string> states_;  // Of files, by path.
  bool has_news_ = false;
};

// A table of results as text: a line each, the command, a tab, the result; \ before \, and \n, \t
// and \r for those characters.
std::string WriteShellTable(const ShellTable& table);
Result<ShellTable> ReadShellTable(std::string_view text, std::string_view what);

}  // namespace hone::kconfig
