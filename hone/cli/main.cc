// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "hone/cli/console.h"
#include "hone/cli/exit_code.h"
#include "hone/cli/run_cli.h"
#include "hone/domains/compute/process/serve_judge.h"

int main(int count, char** words) {
  // Who started us may ignore it, and that is inherited: then the kernel keeps no exit status.
  std::signal(SIGCHLD, SIG_DFL);
  try {
    const std::vector<std::string> arguments(words + 1, words + count);
    if (const auto status = hone::compute::ServeJudgeIfAsked(arguments)) return *status;
    return hone::cli::RunCli(count > 0 ? words[0] : "", arguments, hone::cli::StandardConsole());
  } catch (const std::exception& problem) {
    std::cerr << "hone: unexpected: " << problem.what() << '\n';
    return static_cast<int>(hone::cli::ExitCode::kFailed);
  }
}
