// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/cli/verb.h"

namespace hone::cli {

// What a command line asks for, its verb's flags already set.
struct CommandLine {
  const Verb* verb = nullptr;  // Null: none was named.
  std::string store;
  bool wants_json = false;
  bool is_quiet = false;
  bool wants_help = false;
  bool wants_version = false;
};

// `arguments` without the program's name. Sets the flags of the verb that it names. An Error names
// the flag or operand and, where one is near, what was probably meant.
Result<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments,
                                     const std::vector<Verb>& verbs);

}  // namespace hone::cli
