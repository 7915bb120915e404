// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <ostream>

#include "hone/app/stored/stored_run.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/campaign_run.h"
#include "hone/cli/verbs/chat_flags.h"
#include "hone/cli/verbs/dashboard.h"
#include "hone/cli/verbs/local_flags.h"
#include "hone/cli/verbs/run_flags.h"
#include "hone/tune/campaign/words.h"

namespace hone::cli {
namespace {

struct ResumeArguments {
  std::string run;
  app::LocalSettings local;
  DashboardChoice dashboard;
};

Result<ExitCode> Resume(Shell& shell, const ResumeArguments& arguments) {
  if (auto reading = app::OpenForReading(shell.store, shell.clock); !reading)
    return reading.error();
  auto store = tune::CampaignStore::Open(shell.store, shell.clock);
  if (!store) return store.error();
  const auto campaign = store->Find(arguments.run);
  if (!campaign) return campaign.error();
  if (campaign->state == tune::CampaignState::kDone) {
    if (!shell.is_quiet) {
      shell.console.err << fmt::format("{} is done; this is its verdict.\n", campaign->id);
    }
    return TellVerdict(shell, *store, campaign->id);
  }
  if (!shell.is_quiet) {
    const auto decisions = store->Decisions(campaign->id);
    if (!decisions) return decisions.error();
    shell.console.err << fmt::format("Going on with {} after {}.\n", campaign->id,
                                     tune::CountText(std::ssize(*decisions), "decision"));
  }
  const auto dashboard = MaybeOpenDashboard(shell, arguments.dashboard);
  if (!dashboard) return dashboard.error();
  app::LocalSettings settings = arguments.local;
  settings.store = shell.store;
  return RunAndTell(shell, *store, campaign->id, settings, dashboard->get());
}

}  // namespace

Verb MakeResumeVerb() {
  const auto arguments = std::make_shared<ResumeArguments>();
  Verb verb;
  verb.name = "resume";
  verb.summary = "goes on with a campaign that was killed or stopped";
  verb.description =
      "Walks through the stored decisions, then goes on where they end. Nothing that was\n"
      "measured is lost or measured twice. A finished campaign gives its verdict again.";
  verb.flags = LocalFlags(arguments->local);
  verb.flags.insert(verb.flags.begin(), RunOperand(arguments->run));
  verb.flags.push_back(DashboardFlag(arguments->dashboard));
  for (Flag& flag : ChatFlags(arguments->local.chat)) verb.flags.push_back(std::move(flag));
  verb.examples = {{"hone resume last", "Go on with the newest campaign."}};
  verb.run = [arguments](Shell& shell) { return Resume(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli
