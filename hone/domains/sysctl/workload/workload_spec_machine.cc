// SPDX-License-Identifier: Apache-2.0
// What a workload spec needs of this machine, checked before anything is touched.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "hone/base/host.h"
#include "hone/domains/sysctl/workload/program_path.h"
#include "hone/domains/sysctl/workload/variables.h"
#include "hone/domains/sysctl/workload/workload_spec.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDropCaches = "/proc/sys/vm/drop_caches";

// A command and its place in the spec.
struct Placed {
  std::string where;
  const CommandSpec* command;
};

std::vector<Placed> CommandsOf(const WorkloadSpec& spec) {
  std::vector<Placed> all;
  const auto add = [&](const char* name, const std::vector<CommandSpec>& commands) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
      all.push_back({fmt::format("{}/{}", name, i), &commands[i]});
    }
  };
  add("/setup", spec.setup);
  add("/teardown", spec.teardown);
  if (spec.service) {
    all.push_back({"/service/start", &spec.service->start});
    if (spec.service->stop) all.push_back({"/service/stop", &*spec.service->stop});
    if (spec.service->ready) all.push_back({"/service/ready", &*spec.service->ready});
  }
  add("/before_run", spec.before_run);
  all.push_back({"/benchmark", &spec.benchmark});
  return all;
}

Result<void> CheckProgram(const WorkloadSpec& spec, const std::string& where,
                          const std::string& program) {
  if (FindWorkloadProgram(program)) return {};
  const std::string hint =
      spec.packages.empty()
          ? "install it, or give its whole path"
          : fmt::format("this workload needs Debian's {}: apt-get install {}",
                        fmt::join(spec.packages, ", "), fmt::join(spec.packages, " "));
  return Error{Errc::kNotFound, fmt::format("{}: {}: no such program {} on this machine; {}",
                                            spec.name, where, program, hint)};
}

Result<void> CheckCpus(const WorkloadSpec& spec, const Placed& placed) {
  const std::vector<int> usable = AllowedCpus();
  if (usable.empty()) return {};
  for (const int cpu : placed.command->cpus) {
    if (std::find(usable.begin(), usable.end(), cpu) != usable.end()) continue;
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{}: {}/cpus: there is no CPU {} for us on this machine; there are: {}",
                    spec.name, placed.where, cpu, fmt::join(usable, ", "))};
  }
  return {};
}

// A folder that the setup may make is not looked for.
Result<void> CheckFolder(const WorkloadSpec& spec, const Placed& placed) {
  const std::string& folder = placed.command->folder;
  std::error_code ignored;
  if (folder.empty() || !spec.setup.empty() || !VariablesIn(folder).empty()) return {};
  if (fs::is_directory(folder, ignored)) return {};
  return Error{Errc::kNotFound, fmt::format("{}: {}/folder: there is no folder {} on this machine",
                                            spec.name, placed.where, folder)};
}

}  // namespace

Result<void> CheckOnThisMachine(const WorkloadSpec& spec) {
  if (spec.page_cache == PageCache::kCold && ::access(kDropCaches, W_OK) != 0) {
    return Error{Errc::kUnsupported,
                 fmt::format("{}: /page_cache: \"cold\" needs to write {}, which may not be done "
                             "here: run as root, or say \"warm\"",
                             spec.name, kDropCaches)};
  }
  for (std::size_t i = 0; i < spec.programs.size(); ++i) {
    if (auto found = CheckProgram(spec, fmt::format("/programs/{}", i), spec.programs[i]); !found) {
      return found;
    }
  }
  for (const Placed& placed : CommandsOf(spec)) {
    const std::string& program = placed.command->arguments.front();
    const bool is_known = VariablesIn(program).empty() &&
                          (placed.command->folder.empty() || program.starts_with('/') ||
                           program.find('/') == std::string::npos);
    if (is_known) {
      if (auto found = CheckProgram(spec, placed.where, program); !found) return found;
    }
    if (auto valid = CheckCpus(spec, placed); !valid) return valid;
    if (auto found = CheckFolder(spec, placed); !found) return found;
  }
  return {};
}

}  // namespace hone::sysctl
