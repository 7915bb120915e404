// SPDX-License-Identifier: Apache-2.0
#include "hone/app/plan/compare_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "hone/app/plan/tune_target.h"
#include "hone/app/stored/settings_of_run.h"
#include "hone/app/stored/stored_run.h"
#include "hone/base/file.h"
#include "hone/domains/sysctl/knowledge/settings_here.h"
#include "hone/domains/sysctl/network/network_pair.h"
#include "hone/domains/sysctl/services/keys_beside.h"
#include "hone/domains/sysctl/services/named_services.h"
#include "hone/domains/sysctl/sysctl_domain.h"

namespace hone::app {
namespace {

using sysctl::KernelFiles;
using sysctl::Setting;

constexpr const char* kNow = "now";

// What one side sets, and the services that were chosen or whose keys are among that.
struct Side {
  std::vector<Setting> settings;
  sysctl::Services services;
};

Result<Side> SettingsOfStored(const std::string& run, const RunStore& runs,
                              const sysctl::Services& chosen) {
  const auto history = LoadRun(runs.path, runs.clock, run);
  if (!history) {
    return Error{history.error().code,
                 fmt::format("{}: neither now, nor a file, nor a stored run: {}", run,
                             history.error().message)};
  }
  const auto found = SettingsOfRun(*history, std::nullopt);
  if (!found) return found.error();
  Side side;
  side.settings.reserve(found->settings.size());
  for (const auto& setting : found->settings)
    side.settings.push_back({setting.path, setting.after});
  auto services = sysctl::ServicesOf(found->services, run, chosen);
  if (!services) return services.error();
  side.services = std::move(*services);
  return side;
}

Result<Side> ReadSide(const std::string& side, const RunStore& runs, KernelFiles& files,
                      const sysctl::Services& chosen) {
  if (side == kNow) return Side{};
  std::error_code ignored;
  if (!std::filesystem::exists(side, ignored)) return SettingsOfStored(side, runs, chosen);
  const auto text = ReadFile(side);
  if (!text) return Error{Errc::kInvalidArgument, text.error().message};
  auto settings = sysctl::ReadSettingsHere(*text, side, files);
  if (!settings) return settings.error();
  sysctl::DropTwinsThatAreOff(*settings, sysctl::CouplingsOf(*settings, files));
  auto services = sysctl::ServicesIn(*text, side, chosen);
  if (!services) return services.error();
  return Side{std::move(*settings), std::move(*services)};
}

// The machine's parameters, or those of a private network namespace that lives as long as this.
struct Parameters {
  std::unique_ptr<KernelFiles> host;
  std::unique_ptr<sysctl::NetworkPair> network;

  KernelFiles& files() const { return network ? network->files() : *host; }
};

Result<Parameters> ParametersOf(const TuneTarget& target) {
  Parameters parameters{sysctl::MakeHostFiles(), nullptr};
  if (!target.workload || target.workload->place == sysctl::Place::kHost) return parameters;
  auto network = sysctl::NetworkPair::Make();
  if (!network) return network.error();
  parameters.network = std::move(*network);
  return parameters;
}

// Why the domain has left a parameter out; empty if it does not say.
std::string NoteAbout(const Domain& domain, const std::string& name) {
  for (const std::string& note : domain.PreviewChanges().notes) {
    if (note.starts_with(name)) return note;
  }
  return "";
}

// What is in force, with these settings on top.
Result<Candidate> CandidateOf(const Domain& domain, const std::string& side,
                              const std::vector<Setting>& settings) {
  Candidate candidate = domain.Baseline();
  for (const Setting& setting : settings) {
    const std::string name = sysctl::NameOfPath(setting.path);
    const auto index = domain.SearchSpace().IndexOf(name);
    if (!index) {
      const std::string note = NoteAbout(domain, name);
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: {}", side,
                               note.empty() ? fmt::format("{}: {} has no such parameter", name,
                                                          domain.Facts().name)
                                            : note)};
    }
    const Parameter& parameter = domain.SearchSpace().parameters()[*index];
    auto value = sysctl::ValueOf(parameter.kind, setting.text, parameter.specials);
    if (!value) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: {}: {}", side, name, value.error().message)};
    }
    candidate.assignment[name] = std::move(*value);
  }
  if (auto valid = domain.SearchSpace().Validate(candidate.assignment); !valid) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: {}", side, valid.error().message)};
  }
  return candidate;
}

struct Sides {
  std::vector<Setting> a;
  std::vector<Setting> b;
};

// Those that the user answers for: of the workload, and of --service, which goes before.
Result<sysctl::Services> ChosenServices(const TuneTarget& target, const TuneRequest& tune) {
  sysctl::Services chosen;
  if (target.workload) chosen = target.workload->service_files;
  auto named = sysctl::ReadServicesNamed(tune.services);
  if (!named) return named.error();
  for (auto& service : *named) sysctl::AddService(chosen, std::move(service));
  return chosen;
}

// What is in force, keys of services included.
std::unique_ptr<KernelFiles> WithKeys(const TuneTarget& target, const TuneRequest& tune) {
  sysctl::Services services = target.workload->service_files;
  for (const auto& service : tune.declared_services) sysctl::AddService(services, service);
  return sysctl::MakeKeysBeside(sysctl::MakeHostFiles(), std::move(services));
}

// Of a workload: only what is requested counts, the rest is so already.
void KeepRequested(std::vector<Setting>& settings,
                   const std::vector<sysctl::ParameterRequest>& requests) {
  std::erase_if(settings, [&](const Setting& setting) {
    return std::none_of(requests.begin(), requests.end(), [&](const auto& request) {
      return sysctl::PathOfName(request.name) == setting.path;
    });
  });
}

Error NothingDiffers(const CompareRequest& request) {
  return {Errc::kInvalidArgument,
          fmt::format("{} and {} set the same here, so there is nothing to compare", request.a,
                      request.b)};
}

// "now" is what is in force without what a killed tuner left.
Result<std::vector<std::string>> PutBackFirst(const TuneTarget& target, const TuneRequest& tune) {
  const bool is_on_host = target.workload && target.workload->place == sysctl::Place::kHost;
  if (!is_on_host || tune.is_rehearsal) return std::vector<std::string>();
  return sysctl::PutBackAfterCrash(*sysctl::MakeHostFiles());
}

Result<TunePlan> PlanComparison(const CompareRequest& request, const TuneTarget& target,
                                const Builtins& builtins, const RunStore& runs) {
  TuneRequest tune = request.tune;
  const auto parameters = ParametersOf(target);
  if (!parameters) return parameters.error();
  const auto chosen = ChosenServices(target, tune);
  if (!chosen) return chosen.error();
  Sides sides;
  for (auto [name, settings] : {std::pair{&request.a, &sides.a}, std::pair{&request.b, &sides.b}}) {
    auto read = ReadSide(*name, runs, parameters->files(), *chosen);
    if (!read) return read.error();
    *settings = std::move(read->settings);
    for (auto& service : read->services) {
      sysctl::AddService(tune.declared_services, std::move(service));
    }
  }
  tune.services.clear();  // They are among these, for the keys that the sides set.
  if (target.workload) {
    const auto with_keys = WithKeys(target, tune);
    KernelFiles& files = parameters->network ? parameters->files() : *with_keys;
    auto requests = sysctl::RequestsFor(files, sides.a, sides.b, tune.allows_unknown);
    if (!requests) return requests.error();
    if (requests->empty()) return NothingDiffers(request);
    KeepRequested(sides.a, *requests);
    KeepRequested(sides.b, *requests);
    tune.parameters = std::move(*requests);
  }
  auto plan = MakePlan(tune, builtins);
  if (!plan) return plan;
  auto a = CandidateOf(*plan->domain, request.a, sides.a);
  if (!a) return a.error();
  auto b = CandidateOf(*plan->domain, request.b, sides.b);
  if (!b) return b.error();
  if (*a == *b) return NothingDiffers(request);
  plan->baseline = std::move(*a);
  plan->spec.comparison = tune::ComparisonSettings{request.a, request.b, std::move(*b)};
  plan->spec.wants_front = false;
  plan->spec.proof.has_ablation = false;
  if (request.pairs) plan->spec.proof.min_pairs = plan->spec.proof.max_pairs = *request.pairs;
  if (auto valid = tune::Validate(plan->spec); !valid) return valid.error();
  return plan;
}

}  // namespace

Result<TunePlan> MakeComparison(const CompareRequest& request, const Builtins& builtins,
                                const RunStore& runs) {
  const auto target = ReadTarget(request.tune.target, builtins);
  if (!target) return target.error();
  auto put_back = PutBackFirst(*target, request.tune);
  if (!put_back) return put_back.error();
  auto plan = PlanComparison(request, *target, builtins, runs);
  if (plan) {
    plan->notes = std::move(*put_back);
    return plan;
  }
  // It was done all the same, and there is no plan that says so.
  if (put_back->empty()) return plan.error();
  return Error{plan.error().code,
               fmt::format("{}\n{}", plan.error().message, fmt::join(*put_back, "\n"))};
}

}  // namespace hone::app
