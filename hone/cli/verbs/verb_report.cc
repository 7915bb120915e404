// SPDX-License-Identifier: Apache-2.0
#include "hone/app/stored/stored_run.h"
#include "hone/report/report.h"

#include <memory>
#include <ostream>

#include "hone/base/json/json.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/run_flags.h"
#include "hone/server/page/page.h"

namespace hone::cli {
namespace {

struct ReportArguments {
  std::string run;
  std::string output;
};

Result<ExitCode> Report(Shell& shell, const ReportArguments& arguments) {
  const auto history = app::LoadRun(shell.store, shell.clock, arguments.run);
  if (!history) return history.error();
  const std::string& id = history->campaign.id;
  const std::string path = arguments.output.empty() ? id + ".html" : arguments.output;
  const std::string page =
      report::RenderReport(*history, server::ReportScriptOf(server::PageOfThisBuild()));
  if (shell.wants_json && path == "-") {
    shell.console.out << Dump({{"id", id}, {"html", page}}) << '\n';
    return ExitCode::kYes;
  }
  if (auto written = WriteAnswer(shell, path, page); !written) return written.error();
  if (shell.wants_json) {
    shell.console.out << Dump({{"id", id}, {"file", path}, {"bytes", page.size()}}) << '\n';
  }
  return ExitCode::kYes;
}

}  // namespace

Verb MakeReportVerb() {
  const auto arguments = std::make_shared<ReportArguments>();
  Verb verb;
  verb.name = "report";
  verb.summary = "writes a campaign as one HTML page with plots";
  verb.description =
      "The page needs nothing else, no network, and can be read without its script. Mail\n"
      "it, archive it.";
  verb.flags = {RunOperand(arguments->run),
                OutputFlag(arguments->output, "Where to; - is standard output (RUN.html).")};
  verb.examples = {{"hone report last", "Writes toy-7.html, if that is the newest."},
                   {"hone report toy-7 -o - | ssh web 'cat > toy-7.html'", "To another place."}};
  verb.run = [arguments](Shell& shell) { return Report(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli
