// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kconfig/guest_workload_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/domains/sysctl/workload/metric_reader.h"
#include "hone/domains/sysctl/workload/variables.h"

namespace hone::app {
namespace {

using kernels::GuestStep;
using kernels::GuestWorkload;

constexpr int kPort = 7000;  // Nobody else is in the guest.

Error NotInAGuest(const sysctl::WorkloadSpec& spec, std::string_view what) {
  return {Errc::kInvalidArgument, fmt::format("{}: {} cannot be had in a guest", spec.name, what)};
}

class Conversion {
 public:
  explicit Conversion(const sysctl::WorkloadSpec& spec) : spec_(spec) {
    made_.name = spec.name;
    made_.text = Dump(sysctl::ToJson(spec));
    const sysctl::GuestSpec guest = spec.guest.value_or(sysctl::GuestSpec{});
    made_.files = guest.files;
    made_.initramfs = guest.initramfs;
    made_.disk = guest.disk;
    made_.needs = guest.needs;
    made_.memory_mib = static_cast<int>(guest.memory_mib.value_or(0));
    takes_programs_ = guest.initramfs.empty() && guest.disk.empty();
    if (takes_programs_) made_.programs = spec.programs;
  }

  Result<GuestWorkload> Run() {
    if (spec_.place != sysctl::Place::kHost) return NotInAGuest(spec_, "target namespace");
    if (spec_.page_cache == sysctl::PageCache::kCold)
      return NotInAGuest(spec_, "a cold page cache");
    if (UsesShell() && takes_programs_) {
      TakeProgram("busybox");
      made_.steps.push_back({.arguments = {"busybox", "--install", "-s", "/bin"}});
    }
    for (const auto& command : spec_.setup) Add(GuestStep::Kind::kCall, command);
    if (spec_.service) AddService(*spec_.service);
    for (const auto& command : spec_.before_run) Add(GuestStep::Kind::kCall, command);
    Add(GuestStep::Kind::kMeasure, spec_.benchmark);
    if (uses_hone_) return NotInAGuest(spec_, "{hone}");
    for (const auto& metric : spec_.metrics) made_.metrics.push_back(metric.facts);
    made_.read = [metrics = spec_.metrics](const std::string& output) {
      return sysctl::ReadMetricValues(metrics, output);
    };
    return std::move(made_);
  }

 private:
  bool UsesShell() const {
    const auto is_shell = [](const sysctl::CommandSpec& command) { return command.is_shell; };
    const auto is_any = [&](const auto& commands) {
      return std::any_of(commands.begin(), commands.end(), is_shell);
    };
    const bool has_service =
        spec_.service && (is_shell(spec_.service->start) ||
                          (spec_.service->ready && is_shell(*spec_.service->ready)));
    return has_service || is_any(spec_.setup) || is_any(spec_.before_run) ||
           is_shell(spec_.benchmark);
  }

  void TakeProgram(const std::string& name) {
    auto& programs = made_.programs;
    if (std::find(programs.begin(), programs.end(), name) == programs.end()) {
      programs.push_back(name);
    }
  }

  std::string Filled(const std::string& text) {
    static const std::map<std::string, std::string> values{{"hone", ""},
                                                           {"folder", kernels::kGuestFolder},
                                                           {"address", "127.0.0.1"},
                                                           {"port", std::to_string(kPort)},
                                                           {"cpus", "1"}};
    for (const std::string& name : sysctl::VariablesIn(text)) uses_hone_ |= name == "hone";
    return sysctl::Expand(text, values);
  }

  void Add(GuestStep::Kind kind, const sysctl::CommandSpec& command) {
    GuestStep step{.kind = kind};
    for (const std::string& argument : command.arguments) {
      step.arguments.push_back(Filled(argument));
    }
    for (const auto& [name, value] : command.environment) step.environment[name] = Filled(value);
    step.folder = Filled(command.folder);
    if (takes_programs_ && !command.is_shell) TakeProgram(step.arguments.front());
    made_.steps.push_back(std::move(step));
  }

  void AddService(const sysctl::ServiceSpec& service) {
    Add(GuestStep::Kind::kStart, service.start);
    if (service.ready) Add(GuestStep::Kind::kUntil, *service.ready);
    if (!service.ready_port) return;
    const int port = *service.ready_port == 0 ? kPort : *service.ready_port;
    made_.steps.push_back({.kind = GuestStep::Kind::kListen, .port = port});
  }

  const sysctl::WorkloadSpec& spec_;
  GuestWorkload made_;
  bool takes_programs_ = true;
  bool uses_hone_ = false;
};

Result<GuestWorkload> ReadWorkloadText(const std::string& text, const std::string& what) {
  const auto json = ParseJson(text, what);
  if (!json) return json.error();
  const auto spec = sysctl::ReadWorkloadSpec(*json, what);
  if (!spec) return spec.error();
  return GuestWorkloadOf(*spec);
}

}  // namespace

Result<GuestWorkload> GuestWorkloadOf(const sysctl::WorkloadSpec& spec) {
  return Conversion(spec).Run();
}

Result<GuestWorkload> ReadGuestWorkload(const std::string& name) {
  const auto presets = sysctl::PresetNames();
  if (std::find(presets.begin(), presets.end(), name) != presets.end()) {
    const auto preset = sysctl::FindPreset(name);
    if (!preset) return preset.error();
    return GuestWorkloadOf(*preset);
  }
  if (name.starts_with('{')) return ReadWorkloadText(name, "workload");
  const auto text = ReadFile(name);
  if (!text) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("workload {}: neither a file ({}) nor a preset; there are {}", name,
                             text.error().message, fmt::join(presets, ", "))};
  }
  return ReadWorkloadText(*text, name);
}

}  // namespace hone::app
