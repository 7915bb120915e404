// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "hone/cli/console.h"
#include "hone/cli/exit_code.h"
#include "hone/cli/run_cli.h"

int main(int count, char** words) {
  try {
    return hone::cli::RunCli(std::vector<std::string>(words + 1, words + count),
                             hone::cli::StandardConsole());
  } catch (const std::exception& problem) {
    std::cerr << "hone: unexpected: " << problem.what() << '\n';
    return static_cast<int>(hone::cli::ExitCode::kFailed);
  }
}
