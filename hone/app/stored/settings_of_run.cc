// SPDX-License-Identifier: Apache-2.0
#include "hone/app/stored/settings_of_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/services/named_services.h"
#include "hone/domains/sysctl/sysctl_domain.h"
#include "hone/domains/sysctl/workload/workload_spec.h"
#include "hone/tune/campaign/words.h"

namespace hone::app {
namespace {

using sysctl::ExportedSetting;
using sysctl::Knowledge;
using sysctl::SettingsExport;
using sysctl::Tunable;
using sysctl::TunableSet;

// Those whose keys the campaign may have tuned.
sysctl::Services ServicesOf(const tune::CampaignSpec& spec) {
  const auto text = spec.options.find("workload");
  if (text == spec.options.end()) return {};
  const auto json = ParseJson(text->second, "workload");
  const auto workload = json ? sysctl::ReadWorkloadSpec(*json, "workload") : json.error();
  return workload ? workload->service_files : sysctl::Services();
}

const sysctl::ParameterFacts* FactsFor(const sysctl::Services& services, const std::string& path) {
  if (!sysctl::IsServiceKey(path)) return Knowledge::Builtin().Find(path);
  const sysctl::ServiceKey* const key = sysctl::KeyNamed(services, path);
  return key == nullptr ? nullptr : &key->facts;
}

// The campaign's space as what it was made from: what the kernel showed is known only by its form.
TunableSet TunablesOf(const Space& space, const sysctl::Services& services) {
  TunableSet set;
  for (const Parameter& parameter : space.parameters()) {
    Tunable tunable;
    tunable.parameter = parameter;
    tunable.path = sysctl::PathOfName(parameter.name);
    tunable.facts = FactsFor(services, tunable.path);
    if (tunable.facts != nullptr) tunable.in_force = tunable.facts->kernel_default;
    set.tunables.push_back(std::move(tunable));
  }
  return set;
}

std::string TestText(const tune::CampaignSpec& spec, const PairedTest& test) {
  const tune::RewardWords words(spec.rule);
  return fmt::format("{} {} {} at {} % confidence, {}", words.MetricChange(test.effect),
                     words.subject(), words.MetricRange(test.interval), 100 * spec.proof.confidence,
                     tune::PText(test.p_value));
}

std::string UndoOf(const Tunable& tunable, const std::string& before) {
  if (tunable.facts == nullptr || tunable.facts->twin.empty() || before != "0") return "";
  return fmt::format("{} was in force: write that one to switch this off.", tunable.facts->twin);
}

ExportedSetting Exported(const Tunable& tunable, const std::string& after,
                         const tune::CampaignSpec& spec, const tune::Verdict& verdict) {
  const std::string before = sysctl::TextOf(tunable.parameter.default_value, tunable.in_force);
  return {tunable.path,
          before,
          after,
          EffectText(spec, verdict, tunable.parameter.name),
          tunable.facts == nullptr ? "" : tunable.facts->summary,
          UndoOf(tunable, before)};
}

std::vector<std::string> PathsOf(const std::vector<ExportedSetting>& settings) {
  std::vector<std::string> paths;
  paths.reserve(settings.size());
  for (const ExportedSetting& setting : settings) paths.push_back(setting.path);
  return paths;
}

Error Wrong(Errc code, const std::string& run, const std::string& why) {
  return Error{code, fmt::format("{}: {}", run, why)};
}

std::string PointText(const tune::CampaignSpec& spec, const tune::Proof& proof) {
  std::string text;
  for (const tune::ObjectiveGain& gain : proof.objectives) {
    const auto objective =
        std::find_if(spec.rule.objectives.begin(), spec.rule.objectives.end(),
                     [&](const Objective& one) { return one.metric == gain.metric; });
    if (objective == spec.rule.objectives.end()) continue;
    const tune::RewardWords words = tune::WordsFor(*objective);
    text +=
        fmt::format("{}{} {} {}", text.empty() ? "" : ", ", words.MetricChange(gain.test.effect),
                    gain.metric, words.MetricRange(gain.test.interval));
  }
  return text;
}

Result<const tune::Proof*> PointOf(const std::string& run, const tune::CampaignSpec& spec,
                                   const tune::Verdict& verdict, std::optional<std::size_t> pick) {
  if (pick && *pick >= 1 && *pick <= verdict.front.size()) return &verdict.front[*pick - 1];
  std::string points;
  for (std::size_t i = 0; i < verdict.front.size(); ++i) {
    points += fmt::format("\n  --pick {}: {}", i + 1, PointText(spec, verdict.front[i]));
  }
  return Wrong(Errc::kInvalidArgument, run,
               fmt::format("it ended in a trade-off of {}; choose one:{}",
                           tune::CountText(std::ssize(verdict.front), "point"), points));
}

std::string MachineText(const std::map<std::string, std::string>& machine) {
  std::string text;
  for (const char* const name : {"cpu", "cpus online", "memory", "system", "virtualisation"}) {
    const auto found = machine.find(name);
    if (found == machine.end() || found->second.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, found->second);
  }
  return text;
}

std::string ValueIn(const std::map<std::string, std::string>& map, const std::string& name) {
  const auto found = map.find(name);
  return found == map.end() ? "" : found->second;
}

// The workload's name out of its JSON.
std::string WorkloadOf(const tune::CampaignSpec& spec) {
  const auto json = ParseJson(ValueIn(spec.options, "workload"), "workload");
  if (!json || !json->is_object()) return "";
  const auto name = json->find("name");
  return name != json->end() && name->is_string() ? name->get<std::string>() : "";
}

}  // namespace

std::string EffectText(const tune::CampaignSpec& spec, const tune::Verdict& verdict,
                       const std::string& name) {
  for (const tune::ParameterEffect& effect : verdict.effects) {
    if (effect.name == name) return TestText(spec, effect.effect);
  }
  return "";
}

std::string VerdictText(const tune::CampaignSpec& spec, const tune::Verdict& verdict,
                        const tune::Proof& winner) {
  if (verdict.front.empty()) return tune::Headline(spec, verdict);
  std::string point = PointText(spec, winner);
  if (verdict.suspicions.empty()) return point;
  return fmt::format("Suspicious: {}, but {}", point, fmt::join(verdict.suspicions, "; "));
}

Result<const tune::Proof*> WinnerOf(const tune::StoredCampaign& campaign,
                                    std::optional<std::size_t> pick) {
  if (!campaign.verdict) {
    return Wrong(Errc::kInvalidArgument, campaign.id,
                 fmt::format("it is not finished; hone resume {} goes on with it", campaign.id));
  }
  const tune::Verdict& verdict = *campaign.verdict;
  if (tune::HasGain(verdict) && !verdict.front.empty()) {
    return PointOf(campaign.id, campaign.start.spec, verdict, pick);
  }
  if (!tune::HasGain(verdict) || !verdict.proof) {
    return Wrong(Errc::kNotFound, campaign.id,
                 fmt::format("there is nothing to install. {}",
                             tune::Headline(campaign.start.spec, verdict)));
  }
  return &*verdict.proof;
}

bool IsAboutParameters(const tune::CampaignHistory& history) {
  return history.campaign.start.spec.domain == sysctl::kDomainName;
}

Result<SettingsExport> SettingsOfRun(const tune::CampaignHistory& history,
                                     std::optional<std::size_t> pick) {
  const tune::StoredCampaign& campaign = history.campaign;
  const tune::CampaignStart& start = campaign.start;
  if (!IsAboutParameters(history)) {
    return Wrong(
        Errc::kInvalidArgument, campaign.id,
        fmt::format("it is about {}, not about kernel parameters; it is exported as json or csv",
                    start.spec.domain));
  }
  if (ValueIn(start.spec.options, "rehearsal") == "yes") {
    return Wrong(Errc::kNotFound, campaign.id,
                 "there is nothing to install. It was a rehearsal, whose numbers are made up.");
  }
  const auto winner = WinnerOf(campaign, pick);
  if (!winner) return winner.error();
  SettingsExport what;
  what.run = campaign.id;
  what.workload = WorkloadOf(start.spec);
  what.verdict = VerdictText(start.spec, *campaign.verdict, **winner);
  what.date = ToText(campaign.updated);
  what.machine = MachineText(start.machine);
  what.kernel = ValueIn(start.machine, "kernel");
  what.version = start.version;
  const sysctl::Services services = ServicesOf(start.spec);
  const TunableSet set = TunablesOf(start.space, services);
  for (const sysctl::Setting& setting : SettingsFor(set, (*winner)->candidate.assignment)) {
    const auto tunable = std::find_if(set.tunables.begin(), set.tunables.end(),
                                      [&](const Tunable& t) { return t.path == setting.path; });
    what.settings.push_back(Exported(*tunable, setting.text, start.spec, *campaign.verdict));
    what.settings.back().file = sysctl::PlaceInFile(services, setting);
  }
  what.services = sysctl::ServicesAmong(PathsOf(what.settings));
  if (what.settings.empty()) {
    return Wrong(Errc::kNotFound, campaign.id,
                 "there is nothing to install: what is in force is the better one");
  }
  // A change that stands alone is the whole gain.
  if (what.settings.size() == 1 && campaign.verdict->front.empty()) {
    what.settings.front().effect = TestText(start.spec, (*winner)->reward);
  }
  return what;
}

}  // namespace hone::app
