// SPDX-License-Identifier: Apache-2.0
#include "hone/app/checkup/checkup.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>

#include "hone/app/campaign/local_campaign.h"
#include "hone/app/version.h"
#include "hone/base/process/find_program.h"
#include "hone/domains/compute/backends/python_torch.h"
#include "hone/domains/compute/gpu/cuda_compiler.h"
#include "hone/domains/kconfig/guest/accelerator.h"
#include "hone/domains/sysctl/apply/file_image.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "hone/domains/sysctl/apply/transaction_lock.h"
#include "hone/domains/sysctl/services/service_facts.h"
#include "hone/domains/sysctl/workload/workload_spec.h"
#include "hone/gpu/gpu_device.h"
#include "hone/llm/serve/engine_process.h"
#include "hone/measure/program_counters.h"
#include "hone/sandbox/protections.h"
#include "hone/server/page/page.h"

namespace hone::app {
namespace {

using State = Check::State;

constexpr std::uintmax_t kLittleSpace = 1ULL << 30;
constexpr double kMuchSteal = 0.01;
constexpr int kFewCpus = 2;

Check Judge(std::string area, std::string name, bool is_good, State otherwise, std::string good,
            std::string bad) {
  return {std::move(area), std::move(name), is_good ? State::kOk : otherwise,
          is_good ? std::move(good) : std::move(bad)};
}

std::string Fact(const MachineFacts& facts, const std::string& name) {
  const auto found = facts.find(name);
  return found == facts.end() ? "not readable" : found->second;
}

Check CheckSteal(const MachineReading& reading) {
  if (!reading.cpu || reading.cpu->Total().count() == 0) {
    return {"machine", "steal", State::kLimited,
            "not readable: runs that the hypervisor disturbed cannot be marked"};
  }
  const double share = static_cast<double>(reading.cpu->steal.count()) /
                       static_cast<double>(reading.cpu->Total().count());
  return Judge("machine", "steal", share < kMuchSteal, State::kLimited,
               fmt::format("{:.1f} % of CPU time since boot", 100 * share),
               fmt::format("{:.1f} % of CPU time since boot: other guests disturb the runs; "
                           "expect more pairs",
                           100 * share));
}

Check CheckKvm() {
  const std::string fault = kernels::LookForKvm().fault;
  return Judge("machine", "KVM", fault.empty(), State::kLimited,
               "can be opened: guests are timed by it (not tried by us yet)",
               fault +
                   ": guests run in QEMU's translator, where instructions count and time says "
                   "little");
}

Check CheckGovernor(const MachineFacts& facts) {
  const std::string governor = Fact(facts, "governor");
  if (governor == "performance") return {"machine", "governor", State::kOk, governor};
  if (governor == "not readable") {
    return {"machine", "governor", State::kLimited,
            "not readable (usual in a virtual machine): frequency changes go unseen"};
  }
  return {"machine", "governor", State::kLimited,
          governor + ": cpupower frequency-set -g performance makes runs steadier"};
}

// Tries it in a child, because a sysctl, a container or a security module may forbid it.
int TryUserNamespace() {
  const pid_t child = ::fork();
  if (child < 0) return errno;
  if (child == 0) ::_exit(::unshare(CLONE_NEWUSER) == 0 ? 0 : errno);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

// "NVIDIA H200 (driver 580.95, sm_90, 139 GiB); /usr/local/cuda/lib64/libnvrtc.so.13"
std::string GpuText(const Result<std::vector<std::shared_ptr<gpu::GpuDevice>>>& gpus,
                    const Result<std::filesystem::path>& nvrtc) {
  if (!gpus || !nvrtc) return "";
  std::string text;
  for (const auto& device : *gpus) {
    const gpu::GpuFacts& facts = device->Facts();
    text += fmt::format("{} (driver {}, {}, {} GiB); ", facts.name, facts.driver,
                        facts.Architecture(), facts.memory_bytes >> 30);
  }
  return text + nvrtc->native();
}

// A domain that can rehearse is only looked at.
Options LookOnly(const DomainEntry& entry) {
  for (const OptionFacts& option : entry.options) {
    if (option.name == "rehearsal") return {{option.name, "yes"}};
  }
  return {};
}

}  // namespace

std::string_view NameOf(Check::State state) {
  switch (state) {
    case State::kOk:
      return "ok";
    case State::kLimited:
      return "limited";
    case State::kMissing:
      return "missing";
  }
  return "unknown";
}

std::vector<Check> CheckBuild(const Builtins& builtins) {
  std::vector<Check> checks{{"build", "hone", State::kOk, Version()}};
  for (const auto& [name, version] : BuildFacts()) {
    checks.push_back({"build", name, State::kOk, version});
  }
  const std::string& missing = server::PageOfThisBuild().missing;
  checks.push_back(
      Judge("build", "dashboard page", missing.empty(), State::kLimited, "carried inside",
            fmt::format("{}: the API is there, the page is not; scripts/setup installs "
                        "nodejs and npm, then build again",
                        missing)));
  for (const auto& [name, entry] : builtins.proposers) {
    checks.push_back({"engines", name, State::kOk, entry.summary});
  }
  for (const auto& [name, entry] : builtins.queues) {
    checks.push_back({"queues", name, State::kOk, entry.summary});
  }
  return checks;
}

std::vector<Check> CheckStore(const std::filesystem::path& store) {
  std::error_code failed;
  std::filesystem::path place = std::filesystem::absolute(store, failed);
  while (!std::filesystem::exists(place, failed) && place.has_relative_path()) {
    place = place.parent_path();
  }
  const bool is_writable = ::access(place.c_str(), W_OK) == 0;
  const std::string why = std::strerror(errno);
  std::vector<Check> checks{
      Judge("store", "path", is_writable, State::kMissing, store.string(),
            fmt::format("{}: {}: {}; choose another with --store or HONE_STORE", store.string(),
                        place.string(), why))};
  const auto space = std::filesystem::space(place, failed);
  if (failed) {
    checks.push_back({"store", "free disk", State::kLimited, failed.message()});
    return checks;
  }
  const std::string free =
      fmt::format("{:.1f} GiB", static_cast<double>(space.available) / (1ULL << 30));
  checks.push_back(Judge("store", "free disk", space.available >= kLittleSpace, State::kLimited,
                         free, free + ": a long campaign may fill it; free some space"));
  return checks;
}

std::vector<Check> CheckPresets() {
  std::vector<Check> checks;
  for (const std::string& name : sysctl::PresetNames()) {
    const auto preset = sysctl::FindPreset(name);
    const auto fits = preset ? sysctl::CheckOnThisMachine(*preset) : Result<void>(preset.error());
    checks.push_back(Judge("presets", name, fits.has_value(), State::kMissing, "can be run",
                           fits ? "" : fits.error().message));
  }
  return checks;
}

std::vector<Check> CheckServices() {
  std::vector<Check> checks;
  for (const std::string& name : sysctl::ServiceNames()) {
    const std::string file = (*sysctl::FindService(name))->file;
    const auto image = sysctl::ReadFileImage(file);
    checks.push_back(Judge("services", name, image.has_value(), State::kMissing,
                           fmt::format("hone tune WORKLOAD --service {} writes {}", name, file),
                           image ? ""
                                 : fmt::format("{}; declare another file (docs/formats/service.md)",
                                               image.error().message)));
  }
  return checks;
}

std::string DescribeJournal() {
  const auto folder = sysctl::DefaultTransactionFolder();
  const std::string journal = (folder / "journal").string();
  if (!std::filesystem::exists(journal)) return "";
  const auto lock = sysctl::TransactionLock::Take(folder, std::chrono::milliseconds(0));
  if (lock) {
    return fmt::format(
        "{}: a tuner was killed together with its guardian; the next start puts back "
        "what it left, or: hone sysctl restore",
        journal);
  }
  if (lock.error().code == Errc::kStale) {
    return fmt::format("{}: a tuner is at work: {}", journal, lock.error().message);
  }
  return fmt::format("{}: a tuner is at work, or was killed; which is seen only by root: {}",
                     journal, lock.error().message);
}

Check CheckJournal() {
  const std::string journal = DescribeJournal();
  return Judge("isolation", "kernel journal", journal.empty(), State::kLimited,
               "none: no kernel parameter and no file waits to be put back", journal);
}

std::vector<Check> CheckDomains(const DomainTable& domains) {
  std::vector<Check> checks;
  for (const auto& [name, entry] : domains) {
    const auto domain = entry.make(LookOnly(entry));
    if (!domain && domain.error().code == Errc::kInvalidArgument) {
      checks.push_back({"domains", name, State::kOk, entry.summary});
      continue;
    }
    if (!domain) {
      checks.push_back({"domains", name, State::kMissing, domain.error().message});
      continue;
    }
    const std::string missing = WhatIsMissing((*domain)->Facts().needs, LocalCapabilities());
    checks.push_back(
        Judge("domains", name, missing.empty(), State::kMissing, entry.summary, missing));
  }
  return checks;
}

std::vector<Check> CheckBackends() {
  const std::string places = SearchPath();
  const auto gcc = FindProgram("g++", places);
  const auto compiler = gcc ? gcc : FindProgram("clang++", places);
  const auto torch = compute::FindPythonTorch();
  const auto engine = llm::FindEngineProgram();
  const auto gpus = gpu::FindGpus();
  const auto nvrtc = compute::FindNvrtc();
  return {Judge("backends", "cpp", compiler.has_value(), State::kMissing, compiler.value_or(""),
                "no g++ and no clang++: install g++"),
          Judge("backends", "cuda", gpus && nvrtc, State::kMissing, GpuText(gpus, nvrtc),
                !gpus    ? gpus.error().message
                : !nvrtc ? nvrtc.error().message
                         : ""),
          Judge("backends", "torch", torch.has_value(), State::kMissing,
                torch ? fmt::format("{}: {}", torch->python, torch->version) : "",
                torch ? "" : torch.error().message),
          Judge("backends", "hone-llm", engine.has_value(), State::kMissing,
                engine ? engine->string() : "", engine ? "" : engine.error().message)};
}

std::vector<Check> CheckMachine(const MachineWatch& watch) {
  const MachineFacts& facts = watch.facts();
  const MachineReading reading = watch.Read();
  const std::string not_counted = MissingCounters();
  return {
      {"machine", "kernel", State::kOk, Fact(facts, "kernel")},
      {"machine", "cpu", State::kOk, Fact(facts, "cpu")},
      Judge("machine", "cpus", watch.cpus() > kFewCpus, State::kLimited,
            fmt::format("{}", watch.cpus()),
            fmt::format("{}: keep --workers at 1, so that runs do not disturb each other",
                        watch.cpus())),
      {"machine", "memory", State::kOk, Fact(facts, "memory")},
      {"machine", "virtualisation", State::kOk, Fact(facts, "virtualisation")},
      Judge("machine", "PSI", reading.pressure.contains("cpu"), State::kLimited,
            "runs under pressure are marked",
            "/proc/pressure cannot be read: runs under pressure are not marked; boot with psi=1"),
      Judge("machine", "counters", not_counted.empty(), State::kLimited,
            "what programs do is counted", "not counted: " + not_counted),
      CheckKvm(),
      CheckSteal(reading),
      CheckGovernor(facts),
      {"machine", "cgroup", State::kOk, "version " + Fact(facts, "cgroup version")},
  };
}

std::vector<Check> CheckSandbox() {
  const Protections& protections = ProbeProtections();
  const bool can_run = protections.Demand(NeededProtections()).has_value();
  std::vector<Check> checks{
      Judge("sandbox", "sandbox", can_run, State::kMissing, "programs can be contained",
            "nothing can be contained here, so no candidate program is run: see below")};
  for (const Protection protection : AllProtections()) {
    const auto missing = protections.missing.find(protection);
    const bool is_there = missing == protections.missing.end();
    checks.push_back(Judge("sandbox", std::string(NameOf(protection)), is_there,
                           can_run ? State::kLimited : State::kMissing, "tried",
                           is_there ? "" : missing->second));
  }
  return checks;
}

std::vector<Check> CheckIsolation() {
  const int namespaces = TryUserNamespace();
  return {
      Judge("isolation", "root", ::geteuid() == 0, State::kLimited,
            "yes: every domain may be tuned", "no: domains that change this machine need it"),
      Judge("isolation", "user namespaces", namespaces == 0, State::kLimited, "can be made",
            fmt::format("cannot be made: {}; see sysctl user.max_user_namespaces",
                        std::strerror(namespaces))),
      CheckJournal(),
  };
}

}  // namespace hone::app
