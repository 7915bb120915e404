// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/app/builtins.h"
#include "hone/cli/console.h"

namespace hone::cli {

// The program: parses, runs one verb, tells errors. Returns the exit status. `arguments` come
// without the program's name.
int RunCli(const std::vector<std::string>& arguments, const Console& console);

// The same with other domains, queues and proposers: tests bring their own.
int RunCli(const std::vector<std::string>& arguments, const Console& console,
           const app::Builtins& builtins);

}  // namespace hone::cli
