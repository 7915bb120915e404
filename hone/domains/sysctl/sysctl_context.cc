// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/sysctl_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "hone/base/json/json.h"
#include "hone/domains/option_reader.h"
#include "hone/domains/sysctl/kernel/control_groups.h"
#include "hone/domains/sysctl/kernel/ethtool.h"
#include "hone/domains/sysctl/knowledge/tunable_range.h"

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

Result<TunableSet> FindKernelTunables(KernelFiles& files, const WorkloadSpec& workload) {
  std::vector<ParameterRequest> requests = workload.parameters;
  std::erase_if(requests, [](const ParameterRequest& one) { return IsServiceKey(one.name); });
  for (ParameterRequest& request : requests) {
    if (!IsGroupName(request.name)) continue;
    auto path = PathOfGroupName(files, request.name);
    if (!path) return path.error();
    request.name = std::move(*path);
  }
  auto set = FindTunables(files, Knowledge::Builtin(), requests, workload.place);
  if (!set) return set;
  LeaveOutAbsent(*set);
  return set;
}

// The keys of services that the workload asks for, and their files.
Result<void> AddServices(SysctlContext& context, const WorkloadSpec& workload, KernelFiles& files) {
  auto keys = FindServiceTunables(workload.service_files, workload.parameters, ReadSizes(files));
  if (!keys) return keys.error();
  if (!keys->empty() && workload.place != Place::kHost) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: the file of a service belongs to the host, not to a private "
                             "network namespace; tune the host, or leave it out",
                             keys->front().path)};
  }
  for (const Tunable& key : *keys) context.in_force[key.path] = key.in_force;
  auto& tunables = context.tunables.tunables;
  std::move(keys->begin(), keys->end(), std::back_inserter(tunables));
  context.files = FilesOf(workload.service_files, PathsOf(context.tunables));
  for (auto& [path, file] : context.files) {
    auto image = ReadFileImage(FileOfPath(path));
    if (!image) return image.error();
    file.original = std::move(*image);
  }
  return {};
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
  auto tunables = FindKernelTunables(files, workload);
  if (!tunables) return tunables.error();
  context.tunables = std::move(*tunables);
  for (const Tunable& tunable : context.tunables.tunables) {
    auto text = files.Read(tunable.path);
    if (!text) return text.error();
    context.in_force[tunable.path] = std::move(*text);
  }
  if (auto added = AddServices(context, workload, files); !added) return added.error();
  std::vector<Parameter> parameters;
  parameters.reserve(context.tunables.tunables.size());
  for (const Tunable& tunable : context.tunables.tunables) parameters.push_back(tunable.parameter);
  auto space = Space::Make(std::move(parameters), context.tunables.constraints);
  if (!space) return space.error();
  context.options = std::move(options);
  context.space = std::move(*space);
  return context;
}

std::vector<std::string> PathsOf(const TunableSet& tunables) {
  std::vector<std::string> paths;
  paths.reserve(tunables.tunables.size());
  for (const Tunable& tunable : tunables.tunables) paths.push_back(tunable.path);
  return paths;
}

std::vector<std::string> FilesThatCanBeOpened(const std::vector<std::string>& paths) {
  std::set<std::string> files;
  for (const std::string& path : paths) {
    const auto value = GroupValueOf(path);
    if (!IsEthtoolPath(path)) files.insert(value ? value->file : path);
  }
  return {files.begin(), files.end()};
}

std::vector<std::string> KernelPathsOf(const TunableSet& tunables) {
  std::vector<std::string> paths = PathsOf(tunables);
  std::erase_if(paths, [](const std::string& path) { return IsServiceKey(path); });
  return paths;
}

}  // namespace hone::sysctl
