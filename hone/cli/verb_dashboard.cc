// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <ostream>

#include "hone/base/parse_values.h"
#include "hone/cli/dashboard.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/verbs.h"

namespace hone {
namespace {

Result<ExitCode> Dashboard(Shell& shell, std::uint16_t port) {
  const auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return interrupts.error();
  const auto server = OpenDashboard(shell, port);
  if (!server) return server.error();
  (*interrupts)->AwaitWrapUp();
  return ExitCode::kYes;
}

}  // namespace

Verb MakeDashboardVerb() {
  const auto port = std::make_shared<std::uint16_t>(kDashboardPort);
  Verb verb;
  verb.name = "dashboard";
  verb.summary = "shows the stored campaigns in a browser";
  verb.description =
      "Serves a page on this machine, until Ctrl-C: every campaign of the store with its\n"
      "curves, its verdict and its files, also one that another process runs now. To\n"
      "pause or stop a campaign from the page, start it with hone tune --dashboard.";
  verb.flags = {{.names = "--port",
                 .value = "N",
                 .help = "Where to listen (5000); 0: any port that is free.",
                 .set = Parsed(
                     "--port",
                     [](const std::string& flag, const std::string& text) {
                       return ParseCount(flag, text, 0, 65535);
                     },
                     [port](std::int64_t value) { *port = static_cast<std::uint16_t>(value); })}};
  verb.examples = {
      {"hone dashboard", "Then open http://127.0.0.1:5000."},
      {"hone dashboard --store /var/lib/hone/hone.db --port 8000", "Another store, another port."}};
  verb.run = [port](Shell& shell) { return Dashboard(shell, *port); };
  return verb;
}

}  // namespace hone
