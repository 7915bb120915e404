// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "hone/cli/interrupts.h"
#include "hone/cli/text/training_show.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/dashboard.h"
#include "hone/learn/policy_file.h"

namespace hone::cli {
namespace {

struct DashboardArguments {
  std::uint16_t port = server::kDashboardPort;
  std::string training;
};

Result<void> ShowTraining(Shell& shell, server::DashboardServer& server,
                          const std::string& folder) {
  const std::filesystem::path file = std::filesystem::path(folder) / learn::kPolicyName;
  const auto policy = learn::LoadPolicy(file);
  if (!policy) return policy.error();
  std::error_code ignored;
  const auto saved = std::filesystem::last_write_time(file, ignored);
  const auto since = std::chrono::file_clock::to_sys(saved).time_since_epoch();
  const WallTime kept{std::chrono::duration_cast<WallTime::duration>(since)};
  TrainingShow show(server.training(), shell.clock,
                    {policy->environment, policy->settings, policy->state.steps, folder, kept},
                    [] {});
  return show.ShowEarlier();
}

Result<ExitCode> Dashboard(Shell& shell, const DashboardArguments& arguments) {
  const auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return interrupts.error();
  const bool has_training = !arguments.training.empty();
  const auto server = OpenDashboard(
      shell, arguments.port, has_training ? DashboardUse::kTraining : DashboardUse::kCampaigns);
  if (!server) return server.error();
  if (has_training) {
    auto shown = ShowTraining(shell, **server, arguments.training);
    if (!shown) return shown.error();
  }
  (*interrupts)->AwaitWrapUp();
  return ExitCode::kYes;
}

}  // namespace

Verb MakeDashboardVerb() {
  const auto arguments = std::make_shared<DashboardArguments>();
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
                 .set = StoreCount("--port", arguments->port, 0, 65535)},
                {.names = "--training",
                 .value = "FOLDER",
                 .help = "Also the training that hone train ppo --output kept there.",
                 .set = Store(arguments->training),
                 .completes = Completes::kFile}};
  verb.examples = {
      {"hone dashboard", "Then open http://127.0.0.1:5000."},
      {"hone dashboard --store /var/lib/hone/hone.db --port 8000", "Another store, another port."},
      {"hone dashboard --training runs/pendulum", "The curves of a training that was kept."}};
  verb.run = [arguments](Shell& shell) { return Dashboard(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli
