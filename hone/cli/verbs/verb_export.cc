// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "hone/app/campaign/campaign_files.h"
#include "hone/app/stored/stored_run.h"
#include "hone/base/json/json.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/run_flags.h"

namespace hone::cli {
namespace {

struct ExportArguments {
  std::string run;
  std::string form = "json";
  std::string output = "-";
  std::optional<std::size_t> pick;
};

Result<void> SetForm(ExportArguments& arguments, const std::string& text) {
  if (std::find(app::AllForms().begin(), app::AllForms().end(), text) == app::AllForms().end()) {
    return Error{Errc::kInvalidArgument, fmt::format("--as: expected {}, found \"{}\"",
                                                     fmt::join(app::AllForms(), ", "), text)};
  }
  arguments.form = text;
  return {};
}

Result<ExitCode> Export(Shell& shell, const ExportArguments& arguments) {
  const auto history = app::LoadRun(shell.store, shell.clock, arguments.run);
  if (!history) return history.error();
  const std::string form = shell.wants_json ? "json" : arguments.form;
  const auto file = app::MakeFile(*history, form, arguments.pick);
  // "No gain" is an answer, not a mistake of the person who asked.
  if (!file && file.error().code == Errc::kNotFound) {
    shell.console.err << file.error().message << '\n';
    return ExitCode::kNo;
  }
  if (!file) return file.error();
  if (auto written = WriteAnswer(shell, arguments.output, file->text); !written) {
    return written.error();
  }
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
      "docs/formats/settings.md. Of a campaign about kernel options: the fragment to merge\n"
      "into a .config, with what each option is worth, all of the .config, or a defconfig.";
  verb.flags = {RunOperand(arguments->run),
                {.names = "--as",
                 .value = "FORM",
                 .help = "json (default), csv; of kernel parameters sysctl.d, tuned, tmpfiles.d or "
                         "script; of kernel options fragment, config or defconfig.",
                 .set = [arguments](const std::string& text) { return SetForm(*arguments, text); },
                 .completes = Completes::kChoices,
                 .choices = app::AllForms()},
                {.names = "--pick",
                 .value = "N",
                 .help = "Which point of a trade-off to install, from 1.",
                 .set = StoreCount("--pick", arguments->pick, 1)},
                OutputFlag(arguments->output, "Where to; - is standard output, the default.")};
  verb.examples = {
      {"hone export last --as csv -o samples.csv", "Every run of the newest campaign."},
      {"hone export last --as sysctl.d -o 90-hone.conf", "What it found, for /etc/sysctl.d/."},
      {"hone export toy-7 | jq .decisions", "What toy-7 decided."}};
  verb.run = [arguments](Shell& shell) { return Export(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli
