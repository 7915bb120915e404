// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <optional>
#include <utility>

#include "hone/agent/chat/plain_text.h"
#include "hone/app/campaign/campaign_turns.h"
#include "hone/app/campaign/local_campaign.h"
#include "hone/app/mcp/mcp_tools.h"
#include "hone/app/plan/tune_plan.h"
#include "hone/app/plan/tune_target.h"
#include "hone/app/stored/stored_run.h"
#include "hone/base/file.h"
#include "hone/base/json/records.h"
#include "hone/tune/campaign/ablation.h"
#include "hone/tune/campaign/words.h"

namespace hone::app {
namespace {

using agent::McpTool;
using agent::QuotedText;
using agent::ToolAnswer;
using agent::ToolRun;

constexpr std::size_t kMaxListed = 20;
constexpr std::string_view kChanges = "changes parameters of this host";
constexpr const char* kMadeUp = "toy";  // Its numbers do not depend on what else runs.

// Ends the turn that was begun.
class CampaignTurn {
 public:
  explicit CampaignTurn(CampaignTurns& turns) : turns_(turns) {}
  CampaignTurn(const CampaignTurn&) = delete;
  CampaignTurn& operator=(const CampaignTurn&) = delete;
  ~CampaignTurn() { turns_.End(); }

 private:
  CampaignTurns& turns_;
};

// The stored campaigns that the caller may read. One without a name is alone, and owns the store.
tune::CampaignAsker AskerOf(const ToolRun& run) {
  return {run.caller.name, run.caller.sees_all || run.caller.name.empty()};
}

// Whether the caller may start what reaches beyond this process and its sandboxes.
Result<void> CheckHostAllowed(const McpToolShop& shop, const ToolRun& run, const std::string& name,
                              std::string_view what) {
  if (!shop.settings.allows_host) {
    return Error{Errc::kUnsupported,
                 fmt::format("{}: it {}; nothing was touched. That needs a server that its user "
                             "started with --allow-host. Without it: toy, tcp",
                             name.substr(0, 200), what)};
  }
  if (run.caller.may_change_host) return {};
  return Error{Errc::kUnsupported, fmt::format("{}: it {}; that takes a token of the role admin",
                                               name.substr(0, 200), what)};
}

// Before anything is read or planned. A file, an option of a workload and a domain of commands say
// what is run on this host; a preset is ours.
Result<void> CheckTarget(const McpToolShop& shop, const TuneRequest& request, const ToolRun& run) {
  const auto entry = shop.builtins.domains.find(request.target);
  const bool is_domain = entry != shop.builtins.domains.end();
  const bool is_contained = is_domain && !entry->second.changes_host && !entry->second.reads_host;
  const bool is_file =
      request.target.ends_with(".json") || request.target.find('/') != std::string::npos;
  if (is_contained || (!is_domain && !is_file && request.options.empty())) return {};
  return CheckHostAllowed(
      shop, run, request.target,
      is_file ? "names commands to run on this host" : "may name files and commands of this host");
}

Result<TuneRequest> RequestOf(const McpToolShop& shop, const Json& arguments, const ToolRun& run) {
  TuneRequest request;
  request.target = arguments["target"];
  const Json options = arguments.value("options", Json::object());
  for (const auto& [name, value] : options.items()) {
    request.options[name] = value.get<std::string>();
  }
  if (auto may = CheckTarget(shop, request, run); !may) return may.error();
  if (request.target.ends_with(".json") || request.target.find('/') != std::string::npos) {
    auto path = shop.Readable(request.target);
    if (!path) return path.error();
    request.target = std::move(*path);
  }
  const auto count = [&](const char* name, std::optional<std::int64_t>& target) {
    if (arguments.contains(name)) target = arguments[name].get<std::int64_t>();
  };
  count("trials", request.trials);
  count("pairs", request.pairs);
  if (arguments.contains("seed")) request.seed = arguments["seed"].get<std::uint64_t>();
  if (arguments.contains("engine")) request.engine = arguments["engine"].get<std::string>();
  if (arguments.contains("budget_s")) {
    request.budget = std::chrono::seconds(arguments["budget_s"].get<std::int64_t>());
  }
  return request;
}

// Whether the plan may start here.
Result<void> CheckPlan(const McpToolShop& shop, const TunePlan& plan, const ToolRun& run) {
  const DomainFacts facts = plan.domain->Facts();
  const std::string name = plan.workload ? plan.workload->name : plan.spec.domain;
  if (facts.changes_host) {
    auto may = CheckHostAllowed(shop, run, name, kChanges);
    if (!may) return may;
  }
  const std::string missing = WhatIsMissing(facts.needs, LocalCapabilities());
  if (missing.empty()) return {};
  return Error{Errc::kUnsupported, fmt::format("{}: {}; nothing was touched", name, missing)};
}

Json ChangesOf(const Candidate& baseline, const Candidate& winner) {
  const auto text = [](const Candidate& candidate, const std::string& name) {
    const auto found = candidate.assignment.find(name);
    return found == candidate.assignment.end() ? Json(nullptr) : Json(ToText(found->second));
  };
  Json changes = Json::array();
  for (const std::string& name : tune::ChangedParameters(baseline, winner)) {
    changes.push_back(
        {{"parameter", name}, {"from", text(baseline, name)}, {"to", text(winner, name)}});
  }
  return changes;
}

std::string CampaignStateOf(const tune::CampaignStore& store,
                            const tune::StoredCampaign& campaign) {
  if (campaign.state == tune::CampaignState::kDone) return "done";
  return store.IsRunning(campaign.id) ? "running" : "unfinished";
}

// What is known of a stored campaign, finished or not.
ToolAnswer CampaignAnswer(const tune::CampaignStore& store, const tune::StoredCampaign& campaign) {
  Json facts{{"campaign", campaign.id},
             {"domain", campaign.start.spec.domain},
             {"campaign_state", CampaignStateOf(store, campaign)},
             {"verdict", nullptr},
             {"headline", ""},
             {"changes", Json::array()},
             {"put_back", campaign.restore_text}};
  std::string text =
      fmt::format("campaign {}: {}\n", campaign.id, CampaignStateOf(store, campaign));
  if (campaign.verdict) {
    const tune::Verdict& verdict = *campaign.verdict;
    facts["verdict"] = NameOf(verdict.kind);
    facts["headline"] = tune::Headline(campaign.start.spec, verdict);
    text += fmt::format("{}\n", facts["headline"].get<std::string>());
    if (!verdict.reason.empty()) text += QuotedText("reason", verdict.reason, 5, 1000);
    if (verdict.proof && tune::HasGain(verdict)) {
      facts["changes"] = ChangesOf(campaign.start.baseline, verdict.proof->candidate);
    }
    for (const Json& change : facts["changes"]) {
      text += fmt::format("change: {} from {} to {}\n", change["parameter"].get<std::string>(),
                          Dump(change["from"]), Dump(change["to"]));
    }
  } else if (!campaign.last_error.empty()) {
    text += QuotedText("ended last with", campaign.last_error, 5, 1000);
  }
  if (!campaign.restore_text.empty()) text += campaign.restore_text + "\n";
  Json record = facts;
  record["spec"] = tune::ToJson(campaign.start.spec);
  record["machine"] = campaign.start.machine;
  if (campaign.verdict) record["verdict_in_full"] = tune::ToJson(*campaign.verdict);
  return {std::move(text), std::move(facts),
          record.dump(2, ' ', false, Json::error_handler_t::replace)};
}

std::string ProgressText(const std::string& id, const tune::Progress& progress) {
  std::string text =
      fmt::format("campaign {}: {}, {} of {}; {} trials, {} runs", id, NameOf(progress.phase),
                  progress.done, progress.planned, progress.trials, progress.runs);
  if (progress.remaining.count() > 0) {
    text += fmt::format("; at most {} more", tune::DurationText(progress.remaining));
  }
  return text;
}

Result<ToolAnswer> RunStored(McpToolShop& shop, tune::CampaignStore& store, const std::string& id,
                             const ToolRun& run) {
  LocalSettings settings;
  settings.store = shop.settings.store;
  settings.wrap_up = run.wrap_up;
  settings.abandon = run.abandon;
  settings.on_progress = [&](const tune::Progress& progress) {
    run.tell(ProgressText(id, progress));
  };
  const auto verdict = RunLocally(id, store, shop.builtins, shop.clock, settings);
  if (!verdict) {
    return Error{verdict.error().code,
                 fmt::format("campaign {}: {}\nNothing measured is lost: hone resume {}", id,
                             verdict.error().message, id)};
  }
  const auto campaign = store.Find(id);
  if (!campaign) return campaign.error();
  return CampaignAnswer(store, *campaign);
}

Result<ToolAnswer> StartCampaign(McpToolShop& shop, const Json& arguments, const ToolRun& run) {
  const auto request = RequestOf(shop, arguments, run);
  if (!request) return request.error();
  const auto target = ReadTarget(request->target, shop.builtins);
  if (!target) return target.error();
  if (target->workload && target->workload->place == sysctl::Place::kHost) {
    auto may = CheckHostAllowed(shop, run, target->workload->name, kChanges);
    if (!may) return may.error();
  }
  const auto plan = MakePlan(*request, shop.builtins);
  if (!plan) return plan.error();
  if (auto may = CheckPlan(shop, *plan, run); !may) return may.error();
  if (auto fits = CheckEngine(*plan, shop.builtins.proposers); !fits) return fits.error();
  if (auto made = MakeFolder(shop.settings.store.parent_path()); !made) return made.error();
  auto store = tune::CampaignStore::Open(shop.settings.store, shop.clock);
  if (!store) return store.error();
  const auto id = CreateCampaign(*store, *plan, shop.settings.store, shop.clock, run.caller.name);
  if (!id) return id.error();
  run.tell(fmt::format("campaign {}: stored", *id));
  if (plan->spec.domain == kMadeUp) return RunStored(shop, *store, *id, run);
  run.tell(fmt::format("campaign {}: waits until another campaign has ended", *id));
  if (!shop.turns->Begin(run.wrap_up)) {
    return Error{Errc::kUnavailable, fmt::format("campaign {}: stopped before it began", *id)};
  }
  const CampaignTurn turn(*shop.turns);
  return RunStored(shop, *store, *id, run);
}

Result<ToolAnswer> GetCampaign(const McpToolShop& shop, const Json& arguments, const ToolRun& run) {
  auto store = OpenForReading(shop.settings.store, shop.clock);
  if (!store) return store.error();
  const auto campaign = store->Find(arguments.value("campaign", "last"), AskerOf(run));
  if (!campaign) return campaign.error();
  return CampaignAnswer(*store, *campaign);
}

Result<ToolAnswer> ListCampaigns(const McpToolShop& shop, const ToolRun& run) {
  Json list = Json::array();
  std::string text;
  auto store = OpenForReading(shop.settings.store, shop.clock);
  if (!store && store.error().code != Errc::kNotFound) return store.error();
  if (store) {
    const auto campaigns = store->List(AskerOf(run));
    if (!campaigns) return campaigns.error();
    for (const tune::StoredCampaign& campaign : *campaigns) {
      if (list.size() == kMaxListed) break;
      const std::string headline =
          campaign.verdict ? tune::Headline(campaign.start.spec, *campaign.verdict) : "";
      list.push_back({{"campaign", campaign.id},
                      {"created", ToText(campaign.created)},
                      {"campaign_state", CampaignStateOf(*store, campaign)},
                      {"headline", headline}});
      text += fmt::format("{} {} {} {}\n", campaign.id, ToText(campaign.created),
                          CampaignStateOf(*store, campaign), headline);
    }
  }
  return ToolAnswer{
      text.empty() ? "no campaign is stored\n" : text, {{"campaigns", std::move(list)}}, ""};
}

Json CampaignOutput() {
  return {{"type", "object"},
          {"properties",
           {{"campaign", {{"type", "string"}}},
            {"campaign_state", {{"type", "string"}}},
            {"verdict", {{"type", {"string", "null"}}}},
            {"headline", {{"type", "string"}}},
            {"changes", {{"type", "array"}}}}},
          {"required", {"campaign", "campaign_state", "verdict", "headline", "changes"}}};
}

std::string StartDescription(bool allows_host) {
  const std::string host =
      allows_host
          ? "This server was started with --allow-host: presets such as memory or nginx and "
            "workload files CHANGE KERNEL PARAMETERS OF THIS HOST while they run (they are put "
            "back at the end); ask the user first. "
          : "This server may not change the host: toy (made-up systems) and tcp (private network "
            "namespaces) work; what changes the host needs --allow-host at the server's start. ";
  return "Starts a campaign that searches for better parameters and proves the gain on fresh "
         "runs. " +
         host +
         "It runs for minutes and on under its handle; it is stored, and get_campaign shows it "
         "later too.";
}

McpTool StartCampaignTool(const McpToolShopPtr& shop) {
  McpTool tool;
  tool.name = "start_campaign";
  tool.title = "Start a tuning campaign";
  tool.description = StartDescription(shop->settings.allows_host);
  tool.input_schema = SchemaOf(
      {{"target",
        TextSchema("toy, a preset (tcp, memory, nginx, …), a workload file, or a sentence "
                   "that says what to optimise.",
                   500)},
       {"options",
        {{"type", "object"},
         {"additionalProperties", {{"type", "string"}, {"maxLength", 500}}},
         {"description",
          "Of the domain toy: {\"surface\": \"rugged\"}. Of others only with --allow-host."}}},
       {"trials", CountSchema("Candidates to try at most.", 1, 100'000)},
       {"pairs", CountSchema("Pairs of runs for the proof at most.", 2, 100'000)},
       {"budget_s", CountSchema("Seconds of measuring for all of it.", 1, 604'800)},
       {"engine", TextSchema("Who proposes: bayes (the default), random, …", 50)},
       {"seed", CountSchema("Of the campaign.", 0, std::int64_t{1} << 53U)}},
      {"target"});
  tool.output_schema = CampaignOutput();
  tool.is_long = true;
  tool.is_read_only = false;
  tool.use = [shop](const Json& arguments, const ToolRun& run) {
    return StartCampaign(*shop, arguments, run);
  };
  return tool;
}

}  // namespace

std::vector<McpTool> McpCampaignTools(const McpToolShopPtr& shop) {
  McpTool get;
  get.name = "get_campaign";
  get.title = "Get a stored campaign";
  get.description =
      "What a stored campaign came to: its verdict with the confidence interval, the changes that "
      "are worth making, and whether everything was put back. Also while it runs, and for those of "
      "earlier servers and of hone tune; what another token started is not there.";
  get.input_schema =
      SchemaOf({{"campaign", TextSchema("Its id, or last (the default).", 200)}}, {});
  get.output_schema = CampaignOutput();
  get.use = [shop](const Json& arguments, const ToolRun& run) {
    return GetCampaign(*shop, arguments, run);
  };

  McpTool list;
  list.name = "list_campaigns";
  list.title = "List the stored campaigns";
  list.description = "The newest stored campaigns with their verdicts.";
  list.input_schema = SchemaOf(Json::object(), {});
  list.output_schema = {{"type", "object"},
                        {"properties", {{"campaigns", {{"type", "array"}}}}},
                        {"required", {"campaigns"}}};
  list.use = [shop](const Json&, const ToolRun& run) { return ListCampaigns(*shop, run); };
  return {StartCampaignTool(shop), std::move(get), std::move(list)};
}

}  // namespace hone::app
