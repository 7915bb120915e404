// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/sysctl_context.h"

#include <fmt/format.h>

#include <utility>

#include "hone/base/json/json.h"
#include "hone/domains/option_reader.h"

namespace hone::sysctl {
namespace {

constexpr char kDefaultPreset[] = "memory";

Result<WorkloadSpec> ParseWorkload(const std::string& text) {
  const auto json = ParseJson(text, "workload");
  if (!json) return json.error();
  return ReadWorkloadSpec(*json, "workload");
}

// What exists only while another parameter has a certain value has no original to put back.
void LeaveOutAbsent(TunableSet& set) {
  std::erase_if(set.tunables, [&](const Tunable& tunable) {
    if (!tunable.in_force.empty()) return false;
    set.notes.push_back(fmt::format("{} is left out: it is not there with what is in force now",
                                    tunable.parameter.name));
    return true;
  });
}

}  // namespace

const std::vector<OptionFacts>& SysctlOptionFacts() {
  static const std::vector<OptionFacts> facts{
      {"workload", "", "The workload as JSON (hone tune FILE fills it in); empty: memory."},
      {"rehearsal", "no", "yes: touch and run nothing, take numbers from a made-up surface."}};
  return facts;
}

Result<SysctlOptions> ReadSysctlOptions(const Options& options) {
  OptionReader reader(kDomainName, SysctlOptionFacts(), options);
  const std::string text = reader.Text("workload");
  const bool is_rehearsal = reader.Choice("rehearsal", {"no", "yes"}) == "yes";
  if (auto read = reader.Finish(); !read) return read.error();
  auto workload = text.empty() ? FindPreset(kDefaultPreset) : ParseWorkload(text);
  if (!workload) return workload.error();
  return SysctlOptions{std::move(*workload), is_rehearsal};
}

Result<SysctlContext> InspectMachine(SysctlOptions options, KernelFiles& files) {
  SysctlContext context;
  const WorkloadSpec& workload = options.workload;
  auto tunables = FindTunables(files, Knowledge::Builtin(), workload.parameters, workload.place);
  if (!tunables) return tunables.error();
  LeaveOutAbsent(*tunables);
  std::vector<Parameter> parameters;
  for (const Tunable& tunable : tunables->tunables) {
    parameters.push_back(tunable.parameter);
    auto text = files.Read(tunable.path);
    if (!text) return text.error();
    context.in_force[tunable.path] = std::move(*text);
  }
  auto space = Space::Make(std::move(parameters), tunables->constraints);
  if (!space) return space.error();
  context.options = std::move(options);
  context.tunables = std::move(*tunables);
  context.space = std::move(*space);
  return context;
}

std::vector<std::string> PathsOf(const TunableSet& tunables) {
  std::vector<std::string> paths;
  paths.reserve(tunables.tunables.size());
  for (const Tunable& tunable : tunables.tunables) paths.push_back(tunable.path);
  return paths;
}

}  // namespace hone::sysctl
