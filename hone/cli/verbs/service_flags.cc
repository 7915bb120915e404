// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/service_flags.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "hone/app/campaign/local_campaign.h"
#include "hone/eval/queue/queue_rules.h"

namespace hone::cli {
namespace {

Setter File(std::filesystem::path& target) {
  return [&target](const std::string& text) -> Result<void> {
    target = text;
    return {};
  };
}

const std::map<std::string, LogLevel>& LevelNames() {
  static const std::map<std::string, LogLevel> names = {{"debug", LogLevel::kDebug},
                                                        {"note", LogLevel::kNote},
                                                        {"warning", LogLevel::kWarning},
                                                        {"error", LogLevel::kError}};
  return names;
}

Result<std::string> ParseOwner(const std::string& flag, const std::string& text) {
  const auto fit = CheckOwner(text);
  if (fit && !text.empty()) return text;
  return Error{Errc::kInvalidArgument,
               fmt::format("{}: {}", flag, fit ? "expected an owner's name" : fit.error().message)};
}

}  // namespace

std::vector<Flag> QueueFlags(app::QueueChoice& choice) {
  return {{.names = "--queue",
           .value = "KIND",
           .help = "Where tasks are kept: sqlite (default), redis or memory.",
           .set = Store(choice.kind),
           .completes = Completes::kChoices,
           .choices = {"sqlite", "redis", "memory"}},
          {.names = "--redis",
           .value = "URL",
           .help = "redis://host:6379, rediss:// for TLS, unix:///path; docs/redis.md.",
           .set = Store(choice.server.where)},
          {.names = "--redis-name",
           .value = "NAME",
           .help = "Of the queue in that Redis (hone).",
           .set = Store(choice.server.name)},
          {.names = "--redis-password-file",
           .value = "FILE",
           .help = "Its password; or $HONE_REDIS_PASSWORD.",
           .set = File(choice.server.password_file),
           .completes = Completes::kFile},
          {.names = "--redis-ca",
           .value = "FILE",
           .help = "Under TLS: who vouches for it (PEM), instead of the system's authorities.",
           .set = File(choice.server.ca_file),
           .completes = Completes::kFile},
          {.names = "--redis-cert",
           .value = "FILE",
           .help = "Under TLS: our certificate, if it asks its clients for one.",
           .set = File(choice.server.certificate_file),
           .completes = Completes::kFile},
          {.names = "--redis-key",
           .value = "FILE",
           .help = "The key of that certificate.",
           .set = File(choice.server.key_file),
           .completes = Completes::kFile}};
}

std::vector<Flag> LogFlags(LogChoice& choice) {
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
           .completes = Completes::kChoices,
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
           .completes = Completes::kChoices,
           .choices = {"debug", "note", "warning", "error"}}};
}

void UseLog(const Shell& shell, const LogChoice& choice) {
  const std::string by_default = shell.is_quiet ? "warning" : "note";
  SetLogLevel(LevelNames().at(choice.level.empty() ? by_default : choice.level));
  SetLogForm(choice.form);
}

std::vector<Flag> WorkerFlags(app::WorkerChoice& choice) {
  return {{.names = "--workers",
           .value = "N",
           .help = "Evaluate so many tasks side by side; by default what the machine has room for.",
           .set = StoreCount("--workers", choice.workers, 1, app::kMaxWorkers)},
          {.names = "--lease",
           .value = "TIME",
           .help = "How soon a dead worker's task is offered again (30s).",
           .set = StoreParsed("--lease", ParseDuration, choice.lease)},
          {.names = "--for",
           .value = "OWNER",
           .help = "Take this owner's tasks too; tasks that change this machine have an owner.",
           .set = Parsed("--for", ParseOwner,
                         [&](const std::string& owner) { choice.owners.push_back(owner); }),
           .is_repeatable = true},
          {.names = "--demand",
           .value = "PROTECTION",
           .help = "Evaluate nothing unless the sandbox has it: \"seccomp\", …, or all.",
           .set = Append(choice.demanded),
           .is_repeatable = true}};
}

}  // namespace hone::cli
