// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "hone/cli/stored_run.h"
#include "hone/cli/verbs.h"
#include "hone/tune/export.h"

namespace hone {
namespace {

struct ExportArguments {
  std::string run;
  std::string form = "json";
  std::string output = "-";
};

Result<void> SetForm(ExportArguments& arguments, const std::string& text) {
  if (text != "json" && text != "csv") {
    return Error{Errc::kInvalidArgument,
                 fmt::format("--as: expected json or csv, found \"{}\"", text)};
  }
  arguments.form = text;
  return {};
}

Result<ExitCode> Export(Shell& shell, const ExportArguments& arguments) {
  const auto history = LoadRun(shell, arguments.run);
  if (!history) return history.error();
  const bool is_csv = arguments.form == "csv" && !shell.wants_json;
  std::string text = is_csv ? ExportCsv(*history) : ExportJson(*history);
  if (!text.ends_with('\n')) text += '\n';
  if (auto written = WriteAnswer(shell, arguments.output, text); !written) return written.error();
  return ExitCode::kYes;
}

}  // namespace

Verb MakeExportVerb() {
  const auto arguments = std::make_shared<ExportArguments>();
  Verb verb;
  verb.name = "export";
  verb.summary = "gives a campaign to other programs as JSON or CSV";
  verb.description =
      "JSON holds everything that is stored: spec, decisions, every sample, verdict. CSV\n"
      "is a line a run, for spreadsheets and data frames. docs/formats/export.md";
  verb.flags = {RunOperand(arguments->run),
                {.names = "--as",
                 .value = "FORM",
                 .help = "json (default) or csv.",
                 .set = [arguments](const std::string& text) { return SetForm(*arguments, text); },
                 .completes = Completes::kChoices,
                 .choices = {"json", "csv"}},
                OutputFlag(arguments->output, "Where to; - is standard output, the default.")};
  verb.examples = {
      {"hone export last --as csv -o samples.csv", "Every run of the newest campaign."},
      {"hone export toy-7 | jq .decisions", "What toy-7 decided."}};
  verb.run = [arguments](Shell& shell) { return Export(shell, *arguments); };
  return verb;
}

}  // namespace hone
