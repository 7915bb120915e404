// SPDX-License-Identifier: Apache-2.0
#include "hone/app/plan/tune_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "hone/app/plan/campaign_chat.h"
#include "hone/app/plan/tune_target.h"
#include "hone/base/clock.h"
#include "hone/base/json/json.h"
#include "hone/core/nearest.h"
#include "hone/domains/sysctl/services/named_services.h"

namespace hone::app {
namespace {

constexpr const char* kStabilityMetric = "stability";

Result<std::pair<std::string, Options>> ReadDomain(const Json& document, const std::string& what) {
  JsonReader reader(document, what);
  std::pair<std::string, Options> domain;
  domain.first = reader.At("domain").String();
  if (reader.Has("options")) {
    for (auto& [name, value] : reader.At("options").Members()) domain.second[name] = value.String();
  }
  if (auto done = reader.Finish(); !done) return done.error();
  return domain;
}

Result<void> CheckNames(const DomainTable& table, const std::string& name, const Options& options) {
  const auto found = table.find(name);
  if (found == table.end()) {
    return Error{Errc::kNotFound, NoSuch("domain", name, NamesIn(table))};
  }
  std::vector<std::string> known;
  for (const OptionFacts& facts : found->second.options) known.push_back(facts.name);
  for (const auto& [option, value] : options) {
    if (std::find(known.begin(), known.end(), option) == known.end()) {
      return Error{Errc::kInvalidArgument, NoSuch("option", option, known)};
    }
  }
  return {};
}

std::vector<std::string> MetricNames(const DomainFacts& facts) {
  std::vector<std::string> names;
  for (const MetricFacts& metric : facts.metrics) names.push_back(metric.name);
  return names;
}

const MetricFacts* FindMetric(const DomainFacts& facts, const std::string& name) {
  const auto found = std::find_if(facts.metrics.begin(), facts.metrics.end(),
                                  [&](const MetricFacts& metric) { return metric.name == name; });
  return found == facts.metrics.end() ? nullptr : &*found;
}

Objective ObjectiveFor(const MetricFacts& metric) { return {metric.name, metric.direction, 1}; }

// Members of objectives and limits that go without saying.
void CompleteRule(Json& document, const DomainFacts& facts) {
  if (!document.contains("rule") || !document["rule"].is_object()) return;
  Json& rule = document["rule"];
  const auto each = [&rule](const char* list, const auto& complete) {
    if (!rule.contains(list) || !rule[list].is_array()) return;
    for (Json& item : rule[list]) {
      if (item.is_object()) complete(item);
    }
  };
  each("objectives", [&](Json& item) {
    if (!item.contains("weight")) item["weight"] = 1.0;
    const bool is_named = item.contains("metric") && item["metric"].is_string();
    const auto* metric = is_named ? FindMetric(facts, item["metric"]) : nullptr;
    if (item.contains("direction") || metric == nullptr) return;
    item["direction"] =
        metric->direction == Direction::kLowerIsBetter ? "lower_is_better" : "higher_is_better";
  });
  each("limits", [](Json& item) {
    if (!item.contains("is_relative")) item["is_relative"] = false;
  });
}

Result<tune::CampaignSpec> ReadSpec(Json document, const std::string& what,
                                    const DomainFacts& facts) {
  tune::CampaignSpec defaults;
  defaults.domain = facts.name;
  defaults.rule.objectives = {ObjectiveFor(facts.metrics.front())};
  CompleteRule(document, facts);
  Json merged = tune::ToJson(defaults);
  merged.merge_patch(document);
  return tune::ReadCampaignSpec(merged, what);
}

Result<void> ApplyRule(const TuneRequest& request, const DomainFacts& facts,
                       tune::CampaignSpec& spec) {
  if (request.formula) spec.rule.formula = *request.formula;
  spec.wants_front = spec.wants_front || request.wants_front;
  if (!request.objectives.empty()) spec.rule.objectives = request.objectives;
  spec.rule.limits.insert(spec.rule.limits.end(), request.limits.begin(), request.limits.end());
  const bool needs_stability = spec.rule.formula == RewardRule::Formula::kPerformanceAndStability;
  if (needs_stability && spec.rule.objectives.size() == 1) {
    if (const MetricFacts* stability = FindMetric(facts, kStabilityMetric)) {
      spec.rule.objectives.push_back(ObjectiveFor(*stability));
    }
  }
  const std::vector<std::string> known = MetricNames(facts);
  for (Objective& objective : spec.rule.objectives) {
    const MetricFacts* metric = FindMetric(facts, objective.metric);
    if (metric == nullptr) {
      return Error{Errc::kInvalidArgument, NoSuch("metric", objective.metric, known)};
    }
    if (!request.objectives.empty()) objective.direction = metric->direction;
  }
  for (const Limit& limit : spec.rule.limits) {
    if (FindMetric(facts, limit.metric) == nullptr) {
      return Error{Errc::kInvalidArgument, NoSuch("metric", limit.metric, known)};
    }
  }
  const char* short_of = needs_stability && spec.rule.objectives.size() != 2
                             ? "--reward performance_and_stability: it needs exactly two"
                         : spec.wants_front && spec.rule.objectives.size() < 2
                             ? "--front: a trade-off needs two or more"
                             : nullptr;
  if (short_of == nullptr) return {};
  return Error{Errc::kInvalidArgument,
               fmt::format("{}: name them with --objective METRIC; {} measures: {}", short_of,
                           facts.name, fmt::join(known, ", "))};
}

void ApplySearch(const TuneRequest& request, tune::CampaignSpec& spec) {
  const auto set = [](auto& target, const auto& asked) {
    if (asked) target = *asked;
  };
  set(spec.search.proposer, request.engine);
  for (const auto& [name, value] : request.engine_options) spec.search.options[name] = value;
  set(spec.search.max_trials, request.trials);
  set(spec.search.max_pairs, request.pairs);
  set(spec.search.batch, request.batch);
  set(spec.seed, request.seed);
  set(spec.run_timeout, request.run_timeout);
  set(spec.max_time, request.budget);
  set(spec.proof.confidence, request.confidence);
  set(spec.proof.over, request.proof_over);
  if (request.time) {
    spec.search.max_time = std::chrono::ceil<std::chrono::seconds>(*request.time);
  }
  if (request.min_gain) spec.proof.min_gain = std::log1p(*request.min_gain);
  if (request.has_no_ablation) spec.proof.has_ablation = false;
}

void AllowMore(sysctl::WorkloadSpec& workload, const TuneRequest& request) {
  for (sysctl::ParameterRequest& parameter : workload.parameters) {
    if (request.allows_unknown) parameter.is_unknown_allowed = parameter.range.has_value();
    if (request.allows_disruption) parameter.is_disruption_allowed = true;
  }
}

// A service of which no key is asked for by name is tuned in all that it declares.
void AddKeys(sysctl::WorkloadSpec& workload, const sysctl::ServiceFacts& service) {
  const std::string prefix = service.name + ":";
  auto& parameters = workload.parameters;
  if (std::any_of(parameters.begin(), parameters.end(),
                  [&](const auto& one) { return one.name.starts_with(prefix); })) {
    return;
  }
  for (const auto& key : service.keys) parameters.emplace_back().name = key.facts.name;
}

Result<void> AddServices(TuneTarget& target, const TuneRequest& request) {
  if (!target.workload) {
    if (request.services.empty()) return {};
    return Error{Errc::kInvalidArgument,
                 fmt::format("--service: {} is no workload, so that it has no service to configure",
                             target.what)};
  }
  for (const auto& service : request.declared_services) {
    sysctl::AddService(target.workload->service_files, service);
  }
  for (const std::string& name : request.services) {
    const auto service = sysctl::ReadServiceNamed(name);
    if (!service) return service.error();
    sysctl::AddService(target.workload->service_files, *service);
    AddKeys(*target.workload, **service);
  }
  return {};
}

// Who reads the sentence that the target is; null: the rules.
Result<std::unique_ptr<SentenceReader>> ReaderOf(const TuneRequest& request) {
  if (!request.chat.is_configured() || !IsSentence(request.target)) {
    return std::unique_ptr<SentenceReader>();
  }
  agent::ChatSettings chat = request.chat;
  if (!chat.budget) {
    auto budget = agent::OpenChatBudget(chat);
    if (!budget) return budget.error();
    chat.budget = std::move(*budget);
  }
  auto model = agent::OpenChatModel(chat, SystemClock());
  if (!model) return model.error();
  return std::make_unique<SentenceReader>(std::move(*model), chat.budget);
}

// How a sentence was understood. Objectives that are named go before those that it asks for.
std::string ChoiceOf(const TuneTarget& target, const TuneRequest& request) {
  if (target.choice.empty()) return "";
  if (request.objectives.empty()) return target.choice + target.aim;
  std::vector<std::string> names;
  for (const Objective& objective : request.objectives) names.push_back(objective.metric);
  return fmt::format("{}Aim: {} (as --objective says)\n", target.choice, fmt::join(names, ", "));
}

// Parameters are left out with a note where a device lacks them or has one value only.
Result<void> CheckSomethingIsLeft(const TunePlan& plan) {
  if (!plan.workload || !plan.domain->SearchSpace().parameters().empty()) return {};
  return Error{Errc::kInvalidArgument,
               fmt::format("nothing is left to tune here: {}",
                           fmt::join(plan.domain->PreviewChanges().notes, "; "))};
}

}  // namespace

Result<void> CheckEngine(const TunePlan& plan, const tune::ProposerTable& proposers) {
  const auto proposer = proposers.at(plan.spec.search.proposer)
                            .make({.space = plan.domain->SearchSpace(),
                                   .baseline = plan.domain->Baseline(),
                                   .seed = plan.spec.seed,
                                   .planned_trials = plan.spec.search.max_trials,
                                   .wants_front = plan.spec.wants_front,
                                   .options = plan.spec.search.options});
  if (!proposer) return proposer.error();
  return {};
}

Result<TunePlan> MakeTargetPlan(const TuneRequest& request, const Builtins& builtins) {
  auto reader = ReaderOf(request);
  if (!reader) return reader.error();
  auto target = ReadTarget(request.target, builtins, reader->get());
  if (!target) return target.error();
  auto domain = ReadDomain(target->document, target->what);
  if (!domain) return domain.error();
  auto& [name, options] = *domain;
  if (target->workload && request.parameters) target->workload->parameters = *request.parameters;
  if (auto added = AddServices(*target, request); !added) return added.error();
  if (target->workload) AllowMore(*target->workload, request);
  if (target->workload) options = OptionsFor(*target->workload);
  if (target->workload && request.is_rehearsal) options["rehearsal"] = "yes";
  for (const auto& [option, value] : request.options) options[option] = value;
  if (auto known = CheckNames(builtins.domains, name, options); !known) return known.error();

  TunePlan plan;
  auto made = MakeDomain(builtins.domains, name, options);
  if (!made) return made.error();
  plan.domain = std::move(*made);
  const DomainFacts& facts = plan.domain->Facts();
  auto spec = ReadSpec(target->document, target->what, facts);
  if (!spec) return spec.error();
  plan.spec = std::move(*spec);
  if (target->workload) ApplyWorkload(*target->workload, plan.spec);
  plan.choice = ChoiceOf(*target, request);
  if (*reader) plan.reading = (*reader)->reading();
  plan.workload = std::move(target->workload);
  plan.spec.options = plan.domain->Pinned(options);
  if (auto applied = ApplyRule(request, facts, plan.spec); !applied) return applied.error();
  ApplySearch(request, plan.spec);
  if (plan.workload && plan.spec.search.proposer == "ppo") {
    plan.spec.search.options.merge(std::map(plan.workload->learner));
  }
  return plan;
}

Result<TunePlan> MakePlan(const TuneRequest& request, const Builtins& builtins) {
  auto plan = MakeTargetPlan(request, builtins);
  if (!plan) return plan;
  if (auto left = CheckSomethingIsLeft(*plan); !left) return left.error();
  const std::string& engine = plan->spec.search.proposer;
  if (!builtins.proposers.contains(engine)) {
    return Error{Errc::kNotFound, NoSuch("engine", engine, NamesIn(builtins.proposers))};
  }
  if (auto kept = KeepChat(request.chat, *plan); !kept) return kept.error();
  if (auto valid = tune::Validate(plan->spec); !valid) return valid.error();
  if (auto fits = CheckEngine(*plan, builtins.proposers); !fits) return fits.error();
  return plan;
}

}  // namespace hone::app
