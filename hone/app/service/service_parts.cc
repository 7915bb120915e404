// SPDX-License-Identifier: Apache-2.0
#include "hone/app/service/service_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <utility>

#include "hone/app/campaign/local_campaign.h"
#include "hone/app/version.h"
#include "hone/base/host.h"
#include "hone/base/owner_only.h"
#include "hone/base/process/find_program.h"
#include "hone/domains/compute/backends/python_torch.h"
#include "hone/domains/compute/gpu/cuda_compiler.h"
#include "hone/eval/worker/run_watch.h"
#include "hone/gpu/gpu_device.h"
#include "hone/sandbox/protections.h"

namespace hone::app {
namespace {

Result<std::set<Protection>> Demanded(const std::vector<std::string>& names) {
  std::set<Protection> demanded;
  for (const std::string& name : names) {
    if (name == "all") {
      const auto all = AllProtections();
      demanded.insert(all.begin(), all.end());
      continue;
    }
    const auto protection = ProtectionFromName(name);
    if (!protection) return protection.error();
    demanded.insert(*protection);
  }
  return demanded;
}

}  // namespace

std::filesystem::path ServicePath(const std::filesystem::path& store, std::string_view file) {
  return store.parent_path() / file;
}

Result<OpenQueue> OpenServiceQueue(const Builtins& builtins, const std::filesystem::path& store,
                                   Clock& clock, const QueueChoice& choice) {
  const bool has_url = !choice.server.where.empty();
  const std::string kind = !choice.kind.empty() ? choice.kind : has_url ? "redis" : "sqlite";
  const auto found = builtins.queues.find(kind);
  if (found == builtins.queues.end()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("--queue: expected sqlite, redis or memory, found \"{}\"", kind)};
  }
  if (kind == "redis") return found->second.make(choice.server, clock);
  if (has_url) {
    return Error{Errc::kInvalidArgument, fmt::format("--redis: not with --queue {}", kind)};
  }
  const std::filesystem::path path = ServicePath(store, "service.db");
  // Made by an older version, others could read it.
  for (const char* const end : {"", "-wal", "-shm"}) KeepForOwner(path.string() + end);
  return found->second.make({.where = path.string()}, clock);
}

Capabilities FindCapabilities() {
  Capabilities has = LocalCapabilities();
  const std::string places = SearchPath();
  if (FindProgram("g++", places) || FindProgram("clang++", places)) has.names.insert("cpp");
  if (compute::FindPythonTorch()) has.names.insert("torch");
  if (gpu::FindGpus() && compute::FindNvrtc()) has.names.insert("cuda");
  utsname facts{};
  if (::uname(&facts) == 0) has.names.insert(static_cast<const char*>(facts.machine));
  return has;
}

std::vector<RunSlot> FindSlots() {
  const std::vector<int> cpus = AllowedCpus();
  std::vector<RunSlot> slots;
  for (std::size_t k = 0; k + 1 < cpus.size(); k += 2) slots.push_back({{cpus[k], cpus[k + 1]}});
  if (slots.empty()) slots.push_back({cpus});
  return slots;
}

Result<WorkerPool::Settings> WorkerOptions(const WorkerChoice& choice, Clock& clock,
                                           std::function<void(const Error&)> on_failure) {
  const auto demanded = Demanded(choice.demanded);
  if (!demanded) return demanded.error();
  if (auto there = ProbeProtections().Demand(*demanded); !there) return there.error();
  WorkerPool::Settings settings;
  settings.slots = FindSlots();
  settings.workers = choice.workers > 0 ? choice.workers : settings.slots.size() + 1;
  settings.host = HostName();
  settings.worker.name =
      choice.name.empty() ? fmt::format("{}-{}", settings.host, ::getpid()) : choice.name;
  settings.worker.version = Version();
  settings.worker.has = FindCapabilities();
  settings.worker.serves.insert(choice.owners.begin(), choice.owners.end());
  settings.worker.lease_duration = choice.lease;
  settings.worker.outlives_outages = true;
  settings.worker.facts["protections"] =
      fmt::format("{}", fmt::join(ProbeProtections().Names(), ", "));
  settings.make_watch = [&clock] { return MakeMachineRunWatch(clock); };
  settings.on_failure = std::move(on_failure);
  return settings;
}

std::vector<server::OfferedDomain> OfferedDomains(const DomainTable& domains) {
  std::vector<server::OfferedDomain> offered;
  for (const auto& [name, entry] : domains) {
    server::OfferedDomain domain{
        name, entry.summary, {}, entry.changes_host || entry.reads_host, {}, {}};
    domain.needs = [&domains, name = name](const Options& options) {
      return CheckDomain(domains, name, options);
    };
    domain.deviations = entry.deviations;
    for (const OptionFacts& option : entry.options) {
      domain.options.push_back({option.name, option.default_value, option.description});
    }
    offered.push_back(std::move(domain));
  }
  return offered;
}

server::EnvironmentSettings EnvironmentsOf(const DomainTable& domains) {
  server::EnvironmentSettings settings;
  settings.make = [&domains](const std::string& name, const Options& options) {
    return MakeDomain(domains, name, options);
  };
  return settings;
}

}  // namespace hone::app
