// SPDX-License-Identifier: Apache-2.0
#include "hone/app/service_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "hone/app/local_campaign.h"
#include "hone/app/store_path.h"
#include "hone/app/version.h"
#include "hone/base/json/parse_values.h"
#include "hone/base/process/subprocess.h"
#include "hone/eval/redis/redis_queue.h"
#include "hone/eval/worker/run_watch.h"
#include "hone/sandbox/protections.h"

namespace hone::app {
namespace {

constexpr std::int64_t kMaxWorkers = 1024;
constexpr std::chrono::milliseconds kProbeLimit{10'000};

bool IsInPath(const std::string& program) {
  const std::string path = FromEnvironment("PATH");
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const auto end = std::min(path.find(':', begin), path.size());
    const std::filesystem::path file = path.substr(begin, end - begin) + "/" + program;
    if (::access(file.c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

// Looks for the module without importing it, which would take seconds.
bool HasTorch() {
  Command command;
  command.arguments = {"/usr/bin/python3", "-c",
                       "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)"};
  command.limit = kProbeLimit;
  const auto result = RunProcess(command);
  return result && result->end == ProcessResult::End::kExited && result->status == 0;
}

std::string HostName() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::vector<int> OwnCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {};
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

cli::Setter File(std::filesystem::path& target) {
  return [&target](const std::string& text) -> Result<void> {
    target = text;
    return {};
  };
}

Result<OpenQueue> OpenRedis(const cli::Shell& shell, const QueueChoice& choice) {
  auto address = ParseRedisUrl(choice.redis.empty() ? "redis://127.0.0.1:6379" : choice.redis);
  if (!address) return address.error();
  auto entry = WithRedisPassword(std::move(*address), choice.password_file);
  if (!entry) return entry.error();
  RedisSettings settings;
  settings.address = std::move(*entry);
  settings.address.ca_file = choice.ca_file;
  settings.address.certificate_file = choice.certificate_file;
  settings.address.key_file = choice.key_file;
  settings.name = choice.redis_name;
  auto queue = MakeRedisQueue(settings, shell.clock);
  if (!queue) return queue.error();
  return OpenQueue{std::move(*queue), "redis " + settings.address.Name()};
}

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

const std::map<std::string, LogLevel>& LevelNames() {
  static const std::map<std::string, LogLevel> names = {{"debug", LogLevel::kDebug},
                                                        {"note", LogLevel::kNote},
                                                        {"warning", LogLevel::kWarning},
                                                        {"error", LogLevel::kError}};
  return names;
}

}  // namespace

std::vector<cli::Flag> QueueFlags(QueueChoice& choice) {
  return {{.names = "--queue",
           .value = "KIND",
           .help = "Where tasks are kept: sqlite (default), redis or memory.",
           .set = cli::Store(choice.kind),
           .completes = cli::Completes::kChoices,
           .choices = {"sqlite", "redis", "memory"}},
          {.names = "--redis",
           .value = "URL",
           .help = "redis://host:6379, rediss:// for TLS, unix:///path; docs/redis.md.",
           .set = cli::Store(choice.redis)},
          {.names = "--redis-name",
           .value = "NAME",
           .help = "Of the queue in that Redis (hone).",
           .set = cli::Store(choice.redis_name)},
          {.names = "--redis-password-file",
           .value = "FILE",
           .help = "Its password; or $HONE_REDIS_PASSWORD.",
           .set = File(choice.password_file),
           .completes = cli::Completes::kFile},
          {.names = "--redis-ca",
           .value = "FILE",
           .help = "Under TLS: who vouches for it (PEM), instead of the system's authorities.",
           .set = File(choice.ca_file),
           .completes = cli::Completes::kFile},
          {.names = "--redis-cert",
           .value = "FILE",
           .help = "Under TLS: our certificate, if it asks its clients for one.",
           .set = File(choice.certificate_file),
           .completes = cli::Completes::kFile},
          {.names = "--redis-key",
           .value = "FILE",
           .help = "The key of that certificate.",
           .set = File(choice.key_file),
           .completes = cli::Completes::kFile}};
}

std::filesystem::path ServicePath(const std::filesystem::path& store, std::string_view file) {
  return store.parent_path() / file;
}

Result<OpenQueue> OpenServiceQueue(const cli::Shell& shell, const QueueChoice& choice) {
  const std::string kind = !choice.kind.empty()   ? choice.kind
                           : choice.redis.empty() ? "sqlite"
                                                  : "redis";
  if (kind == "redis") return OpenRedis(shell, choice);
  if (!choice.redis.empty()) {
    return Error{Errc::kInvalidArgument, fmt::format("--redis: not with --queue {}", kind)};
  }
  const auto found = shell.builtins.queues.find(kind);
  if (found == shell.builtins.queues.end()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("--queue: expected sqlite, redis or memory, found \"{}\"", kind)};
  }
  const std::filesystem::path path = ServicePath(shell.store, "service.db");
  auto queue = found->second.make(path, shell.clock);
  if (!queue) return queue.error();
  return OpenQueue{std::move(*queue), kind == "sqlite" ? "sqlite " + path.string() : kind};
}

std::vector<cli::Flag> LogFlags(LogChoice& choice) {
  return {{.names = "--log",
           .value = "FORM",
           .help = "text (default), or json: one object a line.",
           .set = [&choice](const std::string& text) -> Result<void> {
             if (text != "text" && text != "json") {
               return Error{Errc::kInvalidArgument,
                            fmt::format("--log: expected text or json, found \"{}\"", text)};
             }
             choice.form = text == "json" ? LogForm::kJson : LogForm::kText;
             return {};
           },
           .completes = cli::Completes::kChoices,
           .choices = {"text", "json"}},
          {.names = "--log-level",
           .value = "LEVEL",
           .help = "debug (every request), note (default: every verdict), warning or error.",
           .set = [&choice](const std::string& text) -> Result<void> {
             if (!LevelNames().contains(text)) {
               return Error{
                   Errc::kInvalidArgument,
                   fmt::format("--log-level: expected debug, note, warning or error, found \"{}\"",
                               text)};
             }
             choice.level = text;
             return {};
           },
           .completes = cli::Completes::kChoices,
           .choices = {"debug", "note", "warning", "error"}}};
}

void UseLog(const cli::Shell& shell, const LogChoice& choice) {
  const std::string by_default = shell.is_quiet ? "warning" : "note";
  SetLogLevel(LevelNames().at(choice.level.empty() ? by_default : choice.level));
  SetLogForm(choice.form);
}

std::vector<cli::Flag> WorkerFlags(WorkerChoice& choice) {
  return {
      {.names = "--workers",
       .value = "N",
       .help = "Evaluate so many tasks side by side; by default what the machine has room for.",
       .set = cli::Parsed(
           "--workers",
           [](const std::string& flag, const std::string& text) {
             return ParseCount(flag, text, 1, kMaxWorkers);
           },
           [&choice](std::int64_t count) { choice.workers = static_cast<std::size_t>(count); })},
      {.names = "--lease",
       .value = "TIME",
       .help = "How soon a dead worker's task is offered again (30s).",
       .set = cli::Parsed("--lease", ParseDuration,
                          [&choice](std::chrono::milliseconds value) { choice.lease = value; })},
      {.names = "--demand",
       .value = "PROTECTION",
       .help = "Evaluate nothing unless the sandbox has it: \"seccomp\", …, or all.",
       .set = [&choice](const std::string& text) -> Result<void> {
         choice.demanded.push_back(text);
         return {};
       },
       .is_repeatable = true}};
}

Capabilities FindCapabilities() {
  Capabilities has = LocalCapabilities();
  if (IsInPath("g++") || IsInPath("clang++")) has.names.insert("cpp");
  if (HasTorch()) has.names.insert("torch");
  utsname facts{};
  if (::uname(&facts) == 0) has.names.insert(static_cast<const char*>(facts.machine));
  return has;
}

std::vector<RunSlot> FindSlots() {
  const std::vector<int> cpus = OwnCpus();
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
  settings.worker.lease_duration = choice.lease;
  settings.worker.facts["protections"] =
      fmt::format("{}", fmt::join(ProbeProtections().Names(), ", "));
  settings.make_watch = [&clock] { return MakeMachineRunWatch(clock); };
  settings.on_failure = std::move(on_failure);
  return settings;
}

std::vector<server::OfferedDomain> OfferedDomains(const DomainTable& domains) {
  std::vector<server::OfferedDomain> offered;
  for (const auto& [name, entry] : domains) {
    server::OfferedDomain domain{name, entry.summary, {}, entry.changes_host, {}};
    domain.needs = [&domains, name = name](const Options& options) {
      return CheckDomain(domains, name, options);
    };
    for (const OptionFacts& option : entry.options) {
      domain.options.push_back({option.name, option.default_value, option.description});
    }
    offered.push_back(std::move(domain));
  }
  return offered;
}

}  // namespace hone::app
