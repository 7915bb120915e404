// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/dashboard.h"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "hone/app/campaign/campaign_files.h"
#include "hone/app/service/service_parts.h"
#include "hone/app/version.h"
#include "hone/base/json/parse_values.h"
#include "hone/cli/interrupts.h"

namespace hone::cli {

Flag DashboardFlag(DashboardChoice& choice) {
  return {.names = "--dashboard",
          .value = "[=PORT]",
          .help = "Show it in a browser, at http://127.0.0.1:5000 or another port.",
          .set = [&choice](const std::string& text) -> Result<void> {
            choice.is_wanted = true;
            if (text.empty() || text == "true") return {};
            const auto port = ParseCount("--dashboard", text, 0, 65535);
            if (!port) return port.error();
            choice.port = static_cast<std::uint16_t>(*port);
            return {};
          },
          .is_value_optional = true};
}

server::CampaignSettings BoardSettings(const std::filesystem::path& store) {
  server::CampaignSettings settings;
  settings.store = store;
  settings.version = app::Version();
  settings.forms = app::FormsOf;
  settings.make = app::MakeFile;
  return settings;
}

Result<std::unique_ptr<server::DashboardServer>> OpenDashboard(Shell& shell, std::uint16_t port,
                                                               DashboardUse use) {
  const std::filesystem::path token_file = app::ServicePath(shell.store, "tokens");
  auto tokens = server::TokenBook::LoadOrMake(token_file);
  if (!tokens) return tokens.error();
  server::DashboardSettings settings;
  settings.http.port = port;
  settings.access.tokens = std::move(*tokens);
  settings.campaigns = BoardSettings(shell.store);
  settings.has_training = use == DashboardUse::kTraining;
  auto server = server::StartDashboard(shell.clock, std::move(settings));
  if (!server) return server.error();
  shell.console.err << fmt::format(
                           "Dashboard: http://127.0.0.1:{}/  (its buttons ask for the admin token "
                           "in {})\n",
                           (*server)->port(), token_file.string())
                    << std::flush;
  return server;
}

Result<std::unique_ptr<server::DashboardServer>> MaybeOpenDashboard(Shell& shell,
                                                                    const DashboardChoice& choice,
                                                                    DashboardUse use) {
  if (!choice.is_wanted) return std::unique_ptr<server::DashboardServer>();
  return OpenDashboard(shell, choice.port, use);
}

void KeepShowing(Shell& shell) {
  if (shell.wants_json || shell.is_quiet || !shell.console.is_err_terminal) return;
  const auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return;
  shell.console.err << "The dashboard stays up; Ctrl-C ends it.\n" << std::flush;
  (*interrupts)->AwaitWrapUp();
}

}  // namespace hone::cli
