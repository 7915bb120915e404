// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/protections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "hone/core/nearest.h"
#include "hone/sandbox/control_group.h"
#include "hone/sandbox/sandbox_finish.h"
#include "hone/sandbox/sandbox_probe.h"
#include "hone/sandbox/warden.h"

namespace hone {
namespace {

struct Name {
  Protection protection;
  std::string_view name;
};

constexpr std::array kNames{
    Name{Protection::kUserNamespace, "user namespace"},
    Name{Protection::kMountNamespace, "mount namespace"},
    Name{Protection::kPidNamespace, "pid namespace"},
    Name{Protection::kIpcNamespace, "ipc namespace"},
    Name{Protection::kUtsNamespace, "uts namespace"},
    Name{Protection::kNetworkNamespace, "network namespace"},
    Name{Protection::kCgroupNamespace, "cgroup namespace"},
    Name{Protection::kForeignUser, "foreign user"},
    Name{Protection::kOwnProc, "own proc"},
    Name{Protection::kSeccomp, "seccomp"},
    Name{Protection::kLandlock, "landlock"},
    Name{Protection::kMemoryLimit, "memory limit"},
    Name{Protection::kProcessLimit, "process limit"},
    Name{Protection::kCpuLimit, "cpu limit"},
};

constexpr std::array kNeeded{Protection::kUserNamespace, Protection::kMountNamespace,
                             Protection::kPidNamespace};

struct Optional {
  Protection protection;
  unsigned long flag;
};

constexpr std::array kOptional{
    Optional{Protection::kIpcNamespace, CLONE_NEWIPC},
    Optional{Protection::kUtsNamespace, CLONE_NEWUTS},
    Optional{Protection::kNetworkNamespace, CLONE_NEWNET},
    Optional{Protection::kCgroupNamespace, CLONE_NEWCGROUP},
};

struct Part {
  Protection protection;
  WardenPart part;
  const char* why;
};

constexpr std::array kParts{
    Part{Protection::kOwnProc, kPartProc,
         "/proc cannot be mounted in a new namespace (usual in a container that hides parts of its "
         "own): programs have no /proc"},
    Part{Protection::kSeccomp, kPartSeccomp, "the kernel takes no system call filter"},
    Part{Protection::kLandlock, kPartLandlock,
         "not in this kernel, or not among its lsm= (Linux 5.13 or newer)"},
};

struct Probe {
  Protections protections;
  SandboxStyle style;
};

std::string WhyNoNamespace(int number) {
  return fmt::format(
      "cannot be made: {}; see sysctl user.max_user_namespaces, and whether a "
      "container or a security module forbids it",
      std::strerror(number));
}

void ProbeNamespaces(Probe& probe) {
  probe.style.namespaces = NeededNamespaces();
  if (const int number = TryNamespaces(NeededNamespaces()); number != 0) {
    const bool has_user = TryNamespaces(CLONE_NEWUSER) == 0;
    for (const Protection protection : kNeeded) {
      if (protection == Protection::kUserNamespace && has_user) continue;
      probe.protections.missing[protection] = WhyNoNamespace(number);
    }
  }
  for (const Optional& optional : kOptional) {
    const int number = TryNamespaces(NeededNamespaces() | optional.flag);
    if (number == 0) {
      probe.style.namespaces |= optional.flag;
    } else {
      probe.protections.missing[optional.protection] = WhyNoNamespace(number);
    }
  }
}

// A sandbox with everything but a program. What the warden could not do it tells.
void ProbeParts(Probe& probe) {
  SandboxCommand command;
  command.arguments = {"a trial"};
  SandboxStyle style = probe.style;
  style.optional_parts = kPartProc | kPartSeccomp | kPartLandlock;
  style.is_trial = true;
  WardenReport report;
  auto sandbox = StartSandbox(command, style);
  const auto result = sandbox ? FinishSandbox(command, *sandbox, {}, &report)
                              : Result<SandboxResult>(sandbox.error());
  if (!result) {
    for (const Protection protection : kNeeded) {
      probe.protections.missing.try_emplace(protection, result.error().message);
    }
    report.lacking_parts = style.optional_parts;
  }
  probe.style.optional_parts = report.lacking_parts;
  for (const Part& part : kParts) {
    if ((report.lacking_parts & part.part) != 0) {
      probe.protections.missing[part.protection] = part.why;
    }
  }
}

void ProbeGroups(Probe& probe) {
  const auto& missing = OurGroupPlaces().missing;
  const auto note = [&](const char* controller, Protection protection, std::string_view instead) {
    const auto found = missing.find(controller);
    if (found == missing.end()) return;
    probe.protections.missing[protection] = fmt::format("{}{}", found->second, instead);
  };
  note("memory", Protection::kMemoryLimit, "; each process is limited on its own instead");
  note("pids", Protection::kProcessLimit, "; RLIMIT_NPROC limits them instead");
  note("cpu", Protection::kCpuLimit, "");
}

const Probe& OurProbe() {
  static const Probe* const probe = [] {
    auto* made = new Probe;
    ProbeNamespaces(*made);
    ProbeParts(*made);
    ProbeGroups(*made);
    if (::geteuid() != 0) {
      made->protections.missing[Protection::kForeignUser] =
          "only root can give it a user of its own: outside it is the user that runs us";
    }
    return made;
  }();
  return *probe;
}

}  // namespace

std::string_view NameOf(Protection protection) {
  const auto* found = std::find_if(kNames.begin(), kNames.end(),
                                   [=](const Name& name) { return name.protection == protection; });
  return found == kNames.end() ? "unknown" : found->name;
}

std::vector<Protection> AllProtections() {
  std::vector<Protection> all;
  all.reserve(kNames.size());
  for (const Name& name : kNames) all.push_back(name.protection);
  return all;
}

std::set<Protection> NeededProtections() { return {kNeeded.begin(), kNeeded.end()}; }

Result<Protection> ProtectionFromName(std::string_view name) {
  for (const Name& known : kNames) {
    if (known.name == name) return known.protection;
  }
  std::vector<std::string> names;
  names.reserve(kNames.size());
  for (const Name& known : kNames) names.emplace_back(known.name);
  return Error{Errc::kInvalidArgument, NoSuch("protection", name, names)};
}

std::vector<std::string> Protections::Names() const {
  std::vector<std::string> names;
  for (const Name& name : kNames) {
    if (Has(name.protection)) names.emplace_back(name.name);
  }
  return names;
}

Result<void> Protections::Demand(const std::set<Protection>& minimum) const {
  std::vector<std::string> lacking;
  for (const Protection protection : minimum) {
    const auto found = missing.find(protection);
    if (found != missing.end()) {
      lacking.push_back(fmt::format("{} ({})", NameOf(protection), found->second));
    }
  }
  if (lacking.empty()) return {};
  return Error{Errc::kUnsupported, fmt::format("this machine lacks: {}", fmt::join(lacking, "; "))};
}

const Protections& ProbeProtections() { return OurProbe().protections; }

const SandboxStyle& UsualStyle() { return OurProbe().style; }

Result<void> CheckProtections(const SandboxCommand& command) {
  std::set<Protection> minimum = NeededProtections();
  minimum.insert(command.minimum.begin(), command.minimum.end());
  if (command.talks_inside) {
    minimum.insert({Protection::kMountNamespace, Protection::kNetworkNamespace});
  }
  return ProbeProtections().Demand(minimum);
}

}  // namespace hone
