// SPDX-License-Identifier: Apache-2.0
#include "hone/app/plan/campaign_chat.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "hone/agent/chat/chat_record.h"
#include "hone/agent/chat/exchange_log.h"
#include "hone/agent/chat/recorded_model.h"
#include "hone/agent/proposer/tuning_brief.h"
#include "hone/agent/rewards/judge_calibration.h"
#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/domains/kconfig/kconfig_domain.h"
#include "hone/domains/kconfig/options/option_knowledge.h"
#include "hone/domains/kconfig/options/protected_options.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/sysctl_domain.h"
#include "hone/measure/machine_facts.h"

namespace hone::app {
namespace {

constexpr const char* kLlmEngine = "llm";
constexpr const char* kEndpointOption = "endpoint";
constexpr const char* kBriefOption = "brief";
constexpr const char* kJudgeOption = "judge";

// Answers nothing, so that the engine works without it.
class SilentModel final : public agent::ChatModel {
 public:
  Result<agent::ChatAnswer> Ask(const agent::ChatRequest&, const agent::ChatListener&) override {
    return Error{Errc::kUnsupported, "nobody is asked here"};
  }
  std::string name() const override { return "nobody"; }
};

// A question that was broken off has no answer to decide by, not even that there was none.
class AbandonableModel final : public agent::ChatModel {
 public:
  AbandonableModel(std::unique_ptr<agent::ChatModel> model, std::stop_token abandon)
      : model_(std::move(model)), abandon_(std::move(abandon)) {}

  Result<agent::ChatAnswer> Ask(const agent::ChatRequest& request,
                                const agent::ChatListener& listener) override {
    auto answer = model_->Ask(request, listener);
    if (answer || !abandon_.stop_requested()) return answer;
    return Error{Errc::kStale, "interrupted while a language model was asked"};
  }
  std::string name() const override { return model_->name(); }

 private:
  std::unique_ptr<agent::ChatModel> model_;
  std::stop_token abandon_;
};

Json OptionalJson(const auto& value) { return value ? Json(*value) : Json(nullptr); }

std::optional<std::int64_t> OptionalInteger(JsonReader reader) {
  if (reader.Raw().is_null()) return std::nullopt;
  return reader.Integer();
}

// A campaign may be resumed in another folder.
std::string KeptPath(const std::filesystem::path& path) {
  return path.empty() ? "" : std::filesystem::absolute(path).string();
}

std::string EndpointText(const agent::ChatSettings& settings) {
  return Dump(
      {{"urls", settings.urls},
       {"model", settings.model},
       {"key_file", KeptPath(settings.key_file)},
       {"key_variable", settings.key_variable},
       {"ca_file", KeptPath(settings.ca_file)},
       {"prices_file", KeptPath(settings.prices_file)},
       {"budget_tokens", OptionalJson(settings.budget_tokens)},
       {"budget_picos", settings.budget_money ? Json(settings.budget_money->picos) : Json(nullptr)},
       {"budget_currency", settings.budget_currency},
       {"requests_per_minute", OptionalJson(settings.requests_per_minute)},
       {"tokens_per_minute", OptionalJson(settings.tokens_per_minute)}});
}

// What is to be improved, in words: from the rule, the workload, and the person's own sentence.
std::string GoalText(const TunePlan& plan) {
  std::vector<std::string> objectives;
  for (const Objective& objective : plan.spec.rule.objectives) {
    objectives.push_back(
        fmt::format("{} {}", objective.direction == Direction::kLowerIsBetter ? "lower" : "higher",
                    objective.metric));
  }
  std::string text = fmt::format("{}", fmt::join(objectives, " and "));
  for (const Limit& limit : plan.spec.rule.limits) text += fmt::format(", {}", ToText(limit));
  text += fmt::format("; domain {}", plan.spec.domain);
  if (plan.workload) {
    text += fmt::format("; workload {}: {}", plan.workload->name, plan.workload->description);
  }
  if (!plan.choice.empty()) text += fmt::format("; {}", plan.choice);
  return text;
}

// What our data has of a build option, or of those that a choice is among.
std::string KnownOf(const Parameter& parameter) {
  std::vector<std::string> names = {parameter.name};
  if (const auto* category = std::get_if<Category>(&parameter.kind)) {
    names.insert(names.end(), category->choices.begin(), category->choices.end());
  }
  std::string text;
  for (const std::string& name : names) {
    const auto* known = kernels::OptionKnowledge::BuiltIn().Find(name);
    if (known == nullptr) continue;
    text += fmt::format("{}{}{}", text.empty() ? "" : "; ",
                        name == parameter.name ? "" : name + ": ", kernels::SummaryOf(*known));
  }
  return text;
}

// What this domain leaves alone whoever asks.
std::map<std::string, std::string> ForbiddenIn(const std::string& domain) {
  if (domain == kernels::kDomainName) return kernels::ProtectedOptions::BuiltIn().Reasons();
  std::map<std::string, std::string> forbidden;
  if (domain != sysctl::kDomainName) return forbidden;
  for (const sysctl::ParameterFacts& facts : sysctl::Knowledge::Builtin().all()) {
    if (facts.risk != sysctl::Risk::kDenied) continue;
    forbidden[facts.name] = facts.caution;
    for (const std::string& alias : facts.aliases) forbidden[alias] = facts.caution;
  }
  return forbidden;
}

// Without what only tells this machine from others: it is sent to whoever runs the model.
MachineFacts FactsToTell() {
  MachineFacts facts = MachineWatch().facts();
  facts.erase("boot id");
  return facts;
}

agent::TuningBrief BriefOf(const TunePlan& plan) {
  Preview preview = plan.domain->PreviewChanges();
  agent::TuningBrief brief{.goal = GoalText(plan),
                           .machine = FactsToTell(),
                           .notes = {},
                           .remarks = std::move(preview.notes)};
  for (const Objective& one : plan.spec.rule.objectives) brief.objectives.push_back(one.metric);
  for (const Limit& limit : plan.spec.rule.limits) brief.limits.push_back(ToText(limit));
  brief.forbidden = ForbiddenIn(plan.spec.domain);
  for (const PlannedChange& change : preview.planned_changes) {
    brief.notes[change.what] = {.risk = change.risk, .caution = change.caution};
  }
  if (plan.spec.domain != kernels::kDomainName) return brief;
  for (const Parameter& parameter : plan.domain->SearchSpace().parameters()) {
    if (std::string known = KnownOf(parameter); !known.empty()) {
      brief.notes[parameter.name].known = std::move(known);
    }
  }
  return brief;
}

Error NobodyToAsk() {
  return {Errc::kInvalidArgument,
          "engine llm: no language model is named; add --llm URL (or set HONE_LLM), as in --llm "
          "http://127.0.0.1:8000/v1"};
}

// The file that the user names becomes what is in it. Opinions of one model say nothing of
// another's.
Result<void> KeepJudge(const std::string& model, std::map<std::string, std::string>& options) {
  const auto judge = options.find(kJudgeOption);
  if (judge == options.end()) return {};
  const std::string path = judge->second;
  const auto text = ReadFile(path);
  if (!text) return text.error();
  const auto calibration = agent::ReadJudgeCalibration(*text, path);
  if (!calibration) return calibration.error();
  if (!model.empty() && !calibration->judge.starts_with(model + " at ")) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: is of the judge {}, and {} is to be asked; calibrate that one "
                             "(hone agent calibrate)",
                             path, calibration->judge, model)};
  }
  judge->second = *text;
  return {};
}

tune::ProposerTable WithSource(tune::ProposerTable table, agent::ChatModelSource source) {
  if (table.contains(kLlmEngine)) table[kLlmEngine] = agent::LlmProposerEntry(std::move(source));
  return table;
}

}  // namespace

Result<void> KeepChat(const agent::ChatSettings& settings, TunePlan& plan) {
  if (plan.spec.search.proposer != kLlmEngine) return {};
  auto& options = plan.spec.search.options;
  if (!settings.is_configured() && !options.contains(kEndpointOption)) return NobodyToAsk();
  if (auto kept = KeepJudge(settings.model, options); !kept) return kept;
  if (settings.is_configured()) options[kEndpointOption] = EndpointText(settings);
  if (!options.contains(kBriefOption)) options[kBriefOption] = agent::BriefText(BriefOf(plan));
  return {};
}

Result<agent::ChatSettings> KeptChat(const std::map<std::string, std::string>& options) {
  agent::ChatSettings settings;
  const auto text = options.find(kEndpointOption);
  if (text == options.end()) return settings;
  const auto json = ParseJson(text->second, "option endpoint");
  if (!json) return json.error();
  JsonReader reader(*json, "option endpoint");
  for (JsonReader& url : reader.At("urls").Items()) settings.urls.push_back(url.String());
  settings.model = reader.At("model").String();
  settings.key_file = reader.At("key_file").String();
  settings.key_variable = reader.At("key_variable").String();
  settings.ca_file = reader.At("ca_file").String();
  settings.prices_file = reader.At("prices_file").String();
  settings.budget_tokens = OptionalInteger(reader.At("budget_tokens"));
  if (const auto picos = OptionalInteger(reader.At("budget_picos"))) {
    settings.budget_money = agent::Money{*picos};
  }
  settings.budget_currency = reader.At("budget_currency").String();
  settings.requests_per_minute = OptionalInteger(reader.At("requests_per_minute"));
  settings.tokens_per_minute = OptionalInteger(reader.At("tokens_per_minute"));
  reader.RefuseOthers();
  if (auto read = reader.Finish(); !read) return read.error();
  return settings;
}

Result<void> KeepReading(const TunePlan& plan, const CampaignChat& chat, Clock& clock) {
  if (!plan.reading) return {};
  auto log = agent::ExchangeLog::Open(chat.store, chat.campaign, clock);
  if (!log) return log.error();
  const auto position = log->Begin(agent::ToJson(plan.reading->request), plan.reading->spent);
  if (!position) return position.error();
  return log->Finish(*position, plan.reading->outcome, plan.reading->spent);
}

tune::ProposerEntry LlmEntry() {
  return agent::LlmProposerEntry(
      [](const tune::ProposerSettings& settings) -> Result<std::unique_ptr<agent::ChatModel>> {
        const auto kept = KeptChat(settings.options);
        if (!kept) return kept.error();
        if (!kept->is_configured()) return NobodyToAsk();
        if (auto opens = agent::OpenChatModel(*kept, SystemClock()); !opens) return opens.error();
        return std::make_unique<SilentModel>();
      });
}

tune::ProposerTable WithCampaignChat(tune::ProposerTable table, const CampaignChat& chat,
                                     Clock& clock) {
  return WithSource(std::move(table),
                    [chat, &clock](const tune::ProposerSettings& settings)
                        -> Result<std::unique_ptr<agent::ChatModel>> {
                      const auto kept = KeptChat(settings.options);
                      if (!kept) return kept.error();
                      agent::ChatSettings whom =
                          chat.instead && chat.instead->is_configured() ? *chat.instead : *kept;
                      if (!whom.is_configured()) return NobodyToAsk();
                      whom.stop = chat.abandon;
                      auto model = agent::OpenCampaignModel(whom, clock, chat.store, chat.campaign);
                      if (!model) return model.error();
                      return std::make_unique<AbandonableModel>(std::move(*model), chat.abandon);
                    });
}

tune::ProposerTable WithRecordedChat(tune::ProposerTable table, const CampaignChat& chat,
                                     Clock& clock) {
  return WithSource(
      std::move(table),
      [chat, &clock](const tune::ProposerSettings&) -> Result<std::unique_ptr<agent::ChatModel>> {
        auto model = agent::RecordedModel::Open(chat.store, chat.campaign, clock);
        if (!model) return model.error();
        return std::unique_ptr<agent::ChatModel>(std::move(*model));
      });
}

tune::ProposerTable WithoutChat(tune::ProposerTable table) {
  return WithSource(std::move(table),
                    [](const tune::ProposerSettings&) -> Result<std::unique_ptr<agent::ChatModel>> {
                      return std::make_unique<SilentModel>();
                    });
}

}  // namespace hone::app
