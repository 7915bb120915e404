// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/app/builtins.h"
#include "hone/cli/console.h"

namespace hone::cli {

// Parses, runs one verb, tells errors. Returns the exit status. `program` is the first word of the
// command line, `arguments` are the others.
int RunCli(const std::string& program, const std::vector<std::string>& arguments,
           const Console& console);

// The same with other domains, queues and proposers: tests bring their own.
int RunCli(const std::string& program, const std::vector<std::string>& arguments,
           const Console& console, const app::Builtins& builtins);

}  // namespace hone::cli
