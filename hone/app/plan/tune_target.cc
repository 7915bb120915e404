// SPDX-License-Identifier: Apache-2.0
#include "hone/app/plan/tune_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "hone/app/plan/sentence_chat.h"
#include "hone/base/file.h"
#include "hone/core/nearest.h"
#include "hone/domains/sysctl/knowledge/needs.h"
#include "hone/domains/sysctl/knowledge/sentence.h"
#include "hone/domains/sysctl/sysctl_domain.h"

namespace hone::app {
namespace {

bool IsFile(const std::string& target) {
  return target.ends_with(".json") || target.find('/') != std::string::npos;
}

TuneTarget TargetOf(sysctl::WorkloadSpec workload, std::string what) {
  TuneTarget target;
  target.what = std::move(what);
  target.document = Json{{"domain", sysctl::kDomainName}};
  target.workload = std::move(workload);
  return target;
}

constexpr std::size_t kMaxAdded = 3;  // Parameters beside the preset's own.

Result<std::vector<sysctl::SentencePreset>> PresetsForSentences() {
  std::vector<sysctl::SentencePreset> presets;
  for (const std::string& name : sysctl::PresetNames()) {
    auto preset = sysctl::FindPreset(name);
    if (!preset) return preset.error();
    sysctl::SentencePreset known{name, preset->words, {}, preset->place};
    for (const auto& parameter : preset->parameters) known.parameters.push_back(parameter.name);
    presets.push_back(std::move(known));
  }
  return presets;
}

// Those of the knowledge base's suggestions that this machine has and that do something on it.
std::vector<std::string> AddedHere(const sysctl::SentenceChoice& choice) {
  const auto files = sysctl::MakeHostFiles();
  std::vector<std::string> added;
  for (const std::string& name : choice.added) {
    const auto* const facts = sysctl::Knowledge::Builtin().Find(name);
    if (facts != nullptr && !FindUnmetNeeds(*files, *facts).empty()) continue;
    const auto found = files->Match(sysctl::PathOfName(name));
    if (found && !found->empty()) added.push_back(name);
    if (added.size() == kMaxAdded) break;
  }
  return added;
}

bool IsTime(const std::string& unit) {
  return unit == "ns" || unit == "us" || unit == "ms" || unit == "s";
}

// The metric of the workload that shows what the sentence wants; null if there is none.
const MetricFacts* MetricFor(const sysctl::SentenceChoice& choice,
                             const sysctl::WorkloadSpec& workload) {
  const bool is_latency = choice.aims.contains("latency");
  const MetricFacts* best = nullptr;
  for (const auto& metric : workload.metrics) {
    const bool is_lower = metric.facts.direction == Direction::kLowerIsBetter;
    if (is_latency != (is_lower && IsTime(metric.facts.unit))) continue;
    const bool is_tail = metric.facts.name.find("p9") != std::string::npos;
    if (best == nullptr || (is_latency && is_tail == choice.is_about_tail)) best = &metric.facts;
  }
  return best;
}

// Aims the workload at what the sentence wants, and says so.
std::string AimAt(const sysctl::SentenceChoice& choice, sysctl::WorkloadSpec& workload) {
  if (choice.aims.empty()) return "";
  if (choice.aims.size() > 1) {
    return "Latency and throughput are two aims: the preset's own is kept; for both, name them: "
           "--objective … --objective … --front\n";
  }
  const MetricFacts* metric = MetricFor(choice, workload);
  if (metric == nullptr) {
    return fmt::format("Not followed: {}, which {} does not measure\n", *choice.aims.begin(),
                       choice.preset);
  }
  workload.objectives = {{metric->name, metric->direction, 1}};
  workload.wants_front = false;
  return fmt::format("Aim: {} ({})\n", metric->name, *choice.aims.begin());
}

std::string ChoiceText(const sysctl::SentenceChoice& choice,
                       const std::vector<std::string>& added) {
  std::string text = fmt::format("Understood: {}\nChosen: the preset {}",
                                 fmt::join(choice.because, ", "), choice.preset);
  if (!added.empty()) text += fmt::format(", and {} beside", fmt::join(added, ", "));
  if (!choice.without.empty()) text += fmt::format("; without {}", fmt::join(choice.without, ", "));
  text += "\n";
  if (!choice.ignored.empty()) {
    text += fmt::format("Not understood, so not followed: {}\n", fmt::join(choice.ignored, ", "));
  }
  return text;
}

// By the model, or, where that is no help, by the rules.
Result<sysctl::SentenceChoice> ChoiceFor(const std::string& sentence, agent::ChatModel* model) {
  std::string why_not;
  if (model != nullptr) {
    auto choice = ChooseByChat(sentence, *model);
    if (choice) return choice;
    why_not = choice.error().message;
  }
  const auto presets = PresetsForSentences();
  if (!presets) return presets.error();
  auto choice = sysctl::ChooseFor(sentence, *presets, sysctl::Knowledge::Builtin());
  if (choice && model != nullptr) {
    choice->because.push_back(
        fmt::format("by rules, for {} was no help: {}", model->name(), why_not));
  }
  return choice;
}

Result<TuneTarget> ReadSentence(const std::string& sentence, agent::ChatModel* model) {
  const auto choice = ChoiceFor(sentence, model);
  if (!choice) return choice.error();
  auto workload = sysctl::FindPreset(choice->preset);
  if (!workload) return workload.error();
  const std::vector<std::string> added = AddedHere(*choice);
  for (const std::string& name : added) workload->parameters.emplace_back().name = name;
  std::string aim = AimAt(*choice, *workload);
  TuneTarget target = TargetOf(std::move(*workload), sentence);
  target.choice = ChoiceText(*choice, added);
  target.aim = std::move(aim);
  return target;
}

// What tells a workload, ours or the older autotuner's, from the spec of a campaign.
bool IsWorkload(const Json& document) {
  if (!document.is_object() || document.contains("domain")) return false;
  return document.contains("benchmark") || document.contains("metrics") ||
         document.contains("workload_name") || document.contains("benchmark_command");
}

Result<TuneTarget> ReadFileTarget(const std::string& path) {
  const auto text = ReadFile(path);
  if (!text) return Error{Errc::kInvalidArgument, text.error().message};
  auto document = ParseJson(*text, path);
  if (!document) return document.error();
  if (!IsWorkload(*document)) return TuneTarget{path, std::move(*document), std::nullopt, ""};
  auto workload = sysctl::ReadWorkloadSpec(*document, path);
  if (!workload) return workload.error();
  return TargetOf(std::move(*workload), path);
}

}  // namespace

bool IsSentence(const std::string& target) { return target.find(' ') != std::string::npos; }

Result<TuneTarget> ReadTarget(const std::string& target, const Builtins& builtins,
                              agent::ChatModel* model) {
  if (builtins.domains.contains(target)) {
    return TuneTarget{target, Json{{"domain", target}}, std::nullopt, ""};
  }
  const std::vector<std::string> known = sysctl::PresetNames();
  if (std::find(known.begin(), known.end(), target) != known.end()) {
    auto preset = sysctl::FindPreset(target);
    if (!preset) return preset.error();
    return TargetOf(std::move(*preset), target);
  }
  std::error_code ignored;  // A sentence may be longer than a path may be.
  if (IsSentence(target) && !std::filesystem::exists(target, ignored))
    return ReadSentence(target, model);
  if (IsFile(target)) return ReadFileTarget(target);
  return Error{Errc::kNotFound, NoSuch("target", target, TargetNames(builtins.domains))};
}

std::vector<std::string> TargetNames(const DomainTable& domains) {
  std::vector<std::string> names = sysctl::PresetNames();
  for (const std::string& name : NamesIn(domains)) names.push_back(name);
  return names;
}

void ApplyWorkload(const sysctl::WorkloadSpec& workload, tune::CampaignSpec& spec) {
  const auto set = [](auto& target, const auto& asked) {
    if (asked) target = *asked;
  };
  if (!workload.objectives.empty()) spec.rule.objectives = workload.objectives;
  spec.rule.limits = workload.limits;
  spec.wants_front = workload.wants_front;
  const sysctl::BudgetSpec& budget = workload.budget;
  spec.run_timeout = budget.run_timeout;
  set(spec.search.max_trials, budget.trials);
  set(spec.search.max_time, budget.time);
  set(spec.proof.min_pairs, budget.min_pairs);
  set(spec.proof.max_pairs, budget.max_pairs);
  set(spec.gate_pairs, budget.gate_pairs);
}

Options OptionsFor(const sysctl::WorkloadSpec& workload) {
  return {{"workload", Dump(sysctl::ToJson(workload))}};
}

}  // namespace hone::app
