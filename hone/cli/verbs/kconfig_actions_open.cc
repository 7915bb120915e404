// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "hone/cli/verbs/kconfig_actions.h"

namespace hone::cli {
namespace {

void TellWarnings(Shell& shell, const std::vector<std::string>& warnings) {
  if (shell.is_quiet) return;
  for (const std::string& warning : warnings) shell.console.err << warning << "\n";
}

}  // namespace

Result<OpenedTree> OpenKconfigTree(Shell& shell, const KconfigRequest& request) {
  auto opened = app::OpenKconfigTree(request);
  if (opened) TellWarnings(shell, opened->warnings);
  return opened;
}

Result<kconfig::Configuration> StartConfiguration(Shell& shell, const KconfigRequest& request,
                                                  const OpenedTree& opened) {
  std::vector<std::string> warnings;
  auto configuration = app::StartConfiguration(request, opened, warnings);
  TellWarnings(shell, warnings);
  return configuration;
}

}  // namespace hone::cli
