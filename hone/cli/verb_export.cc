// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "hone/base/json.h"
#include "hone/base/parse_values.h"
#include "hone/cli/settings_of_run.h"
#include "hone/cli/stored_run.h"
#include "hone/cli/verbs.h"
#include "hone/tune/export.h"

namespace hone {
namespace {

struct ExportArguments {
  std::string run;
  std::string form = "json";
  std::string output = "-";
  std::optional<std::size_t> pick;
};

const std::vector<std::string>& Forms() {
  static const std::vector<std::string> forms{"json",  "csv",        "sysctl.d",
                                              "tuned", "tmpfiles.d", "script"};
  return forms;
}

Result<void> SetForm(ExportArguments& arguments, const std::string& text) {
  if (std::find(Forms().begin(), Forms().end(), text) == Forms().end()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("--as: expected {}, found \"{}\"", fmt::join(Forms(), ", "), text)};
  }
  arguments.form = text;
  return {};
}

// The whole campaign; with what it found as settings, if it is about kernel parameters.
std::string CampaignJson(const CampaignHistory& history, std::optional<std::size_t> pick) {
  std::string text = ExportJson(history);
  if (!IsAboutParameters(history)) return text;
  const auto settings = SettingsOfRun(history, pick);
  auto json = ParseJson(text, "export", {.bytes = text.size()});
  if (!settings || !json) return text;
  (*json)["settings"] = SettingsJson(*settings);
  return Dump(*json);
}

bool HasNoSysctl(const sysctl::SettingsExport& what) {
  return std::none_of(what.settings.begin(), what.settings.end(),
                      [](const auto& setting) { return setting.path.starts_with("/proc/sys/"); });
}

// "No gain" is an answer, not a mistake of the person who asked.
Result<ExitCode> ExportToInstall(Shell& shell, const CampaignHistory& history,
                                 const ExportArguments& arguments) {
  const auto settings = SettingsOfRun(history, arguments.pick);
  if (!settings && settings.error().code == Errc::kNotFound) {
    shell.console.err << settings.error().message << '\n';
    return ExitCode::kNo;
  }
  if (!settings) return settings.error();
  const auto form = sysctl::SettingsFormOf(arguments.form);
  if (arguments.form == "sysctl.d" && HasNoSysctl(*settings)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: all that it changes lies in /sys, where sysctl.d does not reach; "
                             "use --as tmpfiles.d",
                             settings->run)};
  }
  const std::string text = ExportSettings(*settings, *form);
  if (auto written = WriteAnswer(shell, arguments.output, text); !written) return written.error();
  return ExitCode::kYes;
}

Result<ExitCode> Export(Shell& shell, const ExportArguments& arguments) {
  const auto history = LoadRun(shell, arguments.run);
  if (!history) return history.error();
  const bool is_json = arguments.form == "json" || shell.wants_json;
  if (!is_json && arguments.form != "csv") return ExportToInstall(shell, *history, arguments);
  std::string text = is_json ? CampaignJson(*history, arguments.pick) : ExportCsv(*history);
  if (!text.ends_with('\n')) text += '\n';
  if (auto written = WriteAnswer(shell, arguments.output, text); !written) return written.error();
  return ExitCode::kYes;
}

}  // namespace

Verb MakeExportVerb() {
  const auto arguments = std::make_shared<ExportArguments>();
  Verb verb;
  verb.name = "export";
  verb.summary = "gives a campaign to other programs, or its settings to install";
  verb.description =
      "JSON holds everything that is stored: spec, decisions, every sample, verdict. CSV\n"
      "is a line a run, for spreadsheets and data frames. docs/formats/export.md\n"
      "\n"
      "Of a campaign about kernel parameters there are also files to install, with what\n"
      "each parameter is worth and how to undo it: sysctl.d, tmpfiles.d, a tuned profile,\n"
      "a script. Without a proven gain there is nothing to install: exit status 1.\n"
      "docs/formats/settings.md";
  verb.flags = {RunOperand(arguments->run),
                {.names = "--as",
                 .value = "FORM",
                 .help = "json (default), csv, sysctl.d, tuned, tmpfiles.d or script.",
                 .set = [arguments](const std::string& text) { return SetForm(*arguments, text); },
                 .completes = Completes::kChoices,
                 .choices = Forms()},
                {.names = "--pick",
                 .value = "N",
                 .help = "Which point of a trade-off to install, from 1.",
                 .set = Parsed(
                     "--pick",
                     [](const std::string& flag, const std::string& text) {
                       return ParseCount(flag, text, 1);
                     },
                     [arguments](std::int64_t number) {
                       arguments->pick = static_cast<std::size_t>(number);
                     })},
                OutputFlag(arguments->output, "Where to; - is standard output, the default.")};
  verb.examples = {
      {"hone export last --as csv -o samples.csv", "Every run of the newest campaign."},
      {"hone export last --as sysctl.d -o 90-hone.conf", "What it found, for /etc/sysctl.d/."},
      {"hone export toy-7 | jq .decisions", "What toy-7 decided."}};
  verb.run = [arguments](Shell& shell) { return Export(shell, *arguments); };
  return verb;
}

}  // namespace hone
