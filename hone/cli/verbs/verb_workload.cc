// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <utility>

#include "hone/base/json/json.h"
#include "hone/cli/text/help.h"
#include "hone/cli/verbs.h"
#include "hone/domains/sysctl/probes/probe.h"

namespace hone::cli {
namespace {

struct WorkloadArguments {
  std::string name;
  Options options;
  bool wants_series = false;
};

std::string Lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += fmt::format("  {}\n", line);
  return text;
}

std::string WorkloadHelp(const WorkloadArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> rows;
  const auto probe = sysctl::FindProbe(arguments.name);
  if (!probe) {
    for (const sysctl::Probe& known : sysctl::AllProbes()) {
      rows.emplace_back(known.name, known.summary);
    }
    return "\nWorkloads:\n" + TwoColumns(rows);
  }
  for (const OptionFacts& option : (*probe)->options) {
    rows.emplace_back(fmt::format("-o {}={}", option.name, option.default_value),
                      option.description);
  }
  return fmt::format("\nOptions of {}, with their defaults:\n{}\nIt tells:\n{}", arguments.name,
                     TwoColumns(rows), Lines((*probe)->tells));
}

Result<ExitCode> RunWorkload(Shell& shell, const WorkloadArguments& arguments) {
  const auto probe = sysctl::FindProbe(arguments.name);
  if (!probe) return probe.error();
  sysctl::ProbeSeries series;
  if (arguments.wants_series) {
    series = [&](const sysctl::ProbeReading& reading) {
      shell.console.out << sysctl::LineOf(reading) << std::endl;
    };
  }
  const auto readings = sysctl::RunProbe(**probe, arguments.options, series);
  if (!readings) return readings.error();
  if (shell.wants_json) {
    Json document = Json::object();
    for (const sysctl::ProbeReading& reading : *readings) document[reading.name] = reading.value;
    shell.console.out << Dump(document) << '\n';
  } else {
    for (const sysctl::ProbeReading& reading : *readings) {
      shell.console.out << sysctl::LineOf(reading) << '\n';
    }
  }
  shell.console.out.flush();
  return ExitCode::kYes;
}

}  // namespace

Verb MakeWorkloadVerb() {
  const auto arguments = std::make_shared<WorkloadArguments>();
  Verb verb;
  verb.name = "workload";
  verb.summary = "runs one of Hone's own measuring programs (plumbing)";
  verb.description =
      "The presets run these. Each prints its numbers as strict lines, \"name: value\".\n"
      "It changes no parameter.";
  verb.flags = {{.names = "NAME",
                 .value = "",
                 .help = "Which; `hone workload NAME --help` lists its options.",
                 .set = Store(arguments->name),
                 .is_required = true,
                 .completes = Completes::kChoices,
                 .choices = {}},
                {.names = "-o,--option",
                 .value = "NAME=VALUE",
                 .help = "Sets an option of the workload.",
                 .set = StoreSetting("--option", arguments->options),
                 .is_repeatable = true},
                {.names = "--series",
                 .value = "",
                 .help = "Also prints lines as it goes, ten a second.",
                 .set = Raise(arguments->wants_series)}};
  for (const sysctl::Probe& probe : sysctl::AllProbes()) {
    verb.flags.front().choices.push_back(probe.name);
  }
  verb.examples = {{"hone workload memory -o mib=512", "Random access to 512 MiB of new memory."},
                   {"hone workload tcp -o mode=request -o port=5201",
                    "Asks a `hone workload tcp-server` on this machine."}};
  verb.run = [arguments](Shell& shell) { return RunWorkload(shell, *arguments); };
  verb.more_help = [arguments] { return WorkloadHelp(*arguments); };
  return verb;
}

}  // namespace hone::cli
