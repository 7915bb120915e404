// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "hone/app/stored/stored_run.h"
#include "hone/base/json/records.h"
#include "hone/cli/text/campaign_text.h"
#include "hone/cli/text/readable.h"
#include "hone/cli/verbs.h"

namespace hone::cli {
namespace {

using Labels = std::map<std::string, tune::CampaignLabel>;

tune::CampaignLabel LabelOf(const Labels& labels, const std::string& id) {
  const auto found = labels.find(id);
  return found == labels.end() ? tune::CampaignLabel{} : found->second;
}

// "done", "running", or "unfinished" where no process works on it.
std::string StateOfCampaign(const tune::CampaignStore& store,
                            const tune::StoredCampaign& campaign) {
  if (campaign.state == tune::CampaignState::kDone) return "done";
  return store.IsRunning(campaign.id) ? "running" : "unfinished";
}

std::string OutcomeOfCampaign(const Shell& shell, const tune::StoredCampaign& campaign,
                              const std::string& state) {
  if (campaign.verdict) return tune::Headline(campaign.start.spec, *campaign.verdict);
  return state == "running" ? "" : "go on with: " + shell.invocation.Typed("resume " + campaign.id);
}

// Without a column for labels where nothing has one.
std::vector<std::string> CampaignRow(const Shell& shell, const tune::CampaignStore& store,
                                     const tune::StoredCampaign& campaign, const Labels& labels) {
  const std::string state = StateOfCampaign(store, campaign);
  std::vector<std::string> row{campaign.id, ToText(campaign.created), state};
  if (!labels.empty()) row.push_back(LabelOf(labels, campaign.id).label);
  row.push_back(OutcomeOfCampaign(shell, campaign, state));
  return row;
}

Json CampaignJson(const tune::CampaignStore& store, const tune::StoredCampaign& campaign,
                  const tune::CampaignLabel& label) {
  return {{"id", campaign.id},
          {"label", label.label},
          {"note", label.note},
          {"domain", campaign.start.spec.domain},
          {"created", ToText(campaign.created)},
          {"updated", ToText(campaign.updated)},
          {"state", StateOfCampaign(store, campaign)},
          {"verdict", campaign.verdict ? ToJson(*campaign.verdict) : Json(nullptr)},
          {"last_error", campaign.last_error}};
}

Result<std::vector<tune::StoredCampaign>> ListAll(Shell& shell) {
  auto store = app::OpenForReading(shell.store, shell.clock);
  if (!store && store.error().code == Errc::kNotFound) return std::vector<tune::StoredCampaign>();
  if (!store) return store.error();
  return store->List();
}

void TellAll(Shell& shell, const tune::CampaignStore& store,
             const std::vector<tune::StoredCampaign>& campaigns, const Labels& labels) {
  if (shell.wants_json) {
    Json list = Json::array();
    for (const tune::StoredCampaign& campaign : campaigns)
      list.push_back(CampaignJson(store, campaign, LabelOf(labels, campaign.id)));
    shell.console.out << Dump({{"store", shell.store.string()}, {"runs", list}}) << '\n';
    return;
  }
  TableRows rows{{"RUN", "STARTED", "STATE", "VERDICT"}};
  if (!labels.empty()) rows.front().insert(rows.front().end() - 1, "LABEL");
  for (const tune::StoredCampaign& campaign : campaigns)
    rows.push_back(CampaignRow(shell, store, campaign, labels));
  shell.console.out << TableText(rows, "");
}

Result<ExitCode> Runs(Shell& shell, bool wants_ids) {
  const auto campaigns = ListAll(shell);
  if (!campaigns) return campaigns.error();
  if (wants_ids) {
    for (const tune::StoredCampaign& campaign : *campaigns)
      shell.console.out << campaign.id << '\n';
    return ExitCode::kYes;
  }
  if (campaigns->empty() && shell.wants_json) {
    shell.console.out << Dump({{"store", shell.store.string()}, {"runs", Json::array()}}) << '\n';
    return ExitCode::kYes;
  }
  if (campaigns->empty()) {
    shell.console.out << fmt::format("No campaign in {} yet. Start one: {}\n", shell.store.string(),
                                     shell.invocation.Typed("tune toy"));
    return ExitCode::kYes;
  }
  auto store = app::OpenForReading(shell.store, shell.clock);
  if (!store) return store.error();
  const auto labels = store->Labels();
  if (!labels) return labels.error();
  TellAll(shell, *store, *campaigns, *labels);
  return ExitCode::kYes;
}

}  // namespace

Verb MakeRunsVerb() {
  const auto wants_ids = std::make_shared<bool>(false);
  Verb verb;
  verb.name = "runs";
  verb.summary = "lists the stored campaigns, newest first";
  verb.description = "Every campaign of the store with its state and its verdict.";
  verb.flags = {{.names = "--ids",
                 .value = "",
                 .help = "Only their names, one a line, for scripts.",
                 .set = Raise(*wants_ids)}};
  verb.examples = {{"hone runs", "All of them."},
                   {"hone runs --json | jq '.runs[] | select(.state == \"done\") | .id'",
                    "Those that are done."}};
  verb.run = [wants_ids](Shell& shell) { return Runs(shell, *wants_ids); };
  return verb;
}

}  // namespace hone::cli
