// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "hone/cli/verbs.h"
#include "hone/cli/verbs/action.h"
#include "hone/cli/verbs/data_actions.h"
#include "hone/core/nearest.h"

namespace hone::cli {
namespace {

constexpr Action<DataRequest> kDataActions[] = {
    {"questions", "questions TREE --goal WORDS",
     "Every question about a Kconfig tree, with labels from --needs, --effects and --known.",
     DataQuestions},
    {"split", "split FILE…", "Deals questions out so that nothing leaks: --by option or goal.",
     DataSplit},
    {"check", "check FILE…",
     "Reads sets strictly and looks for leaks between splits; exit status 1 if there are any.",
     DataCheck},
    {"import", "import FILE…", "Logs of OS-R1 as a question set, with what leaks in them.",
     DataImport},
    {"episodes", "episodes RUN…",
     "Trials of campaigns, or with --service judged kernels, as conversations with rewards.",
     DataEpisodes},
    {"export", "export FILE --as trl|verl", "A set as a trainer's rows.", DataExport}};

Result<ExitCode> RunDataAction(Shell& shell, const DataRequest& request) {
  for (const auto& action : kDataActions) {
    if (request.action == action.name) return action.run(shell, request);
  }
  return Error{Errc::kInvalidArgument, NoSuch("action", request.action, ActionNames(kDataActions))};
}

std::vector<Flag> QuestionFlags(DataRequest& request) {
  return {
      {.names = "--goal",
       .value = "WORDS",
       .help = "questions: what is to get better.",
       .set = Store(request.goal)},
      {.names = "--needs",
       .value = "NAME=VALUE",
       .help = "questions: what the goal needs; the solver's smallest change gives the labels.",
       .set = Append(request.needs),
       .is_repeatable = true},
      {.names = "--effects",
       .value = "RUN",
       .help = "questions: labels from what this campaign (or the .json of its export) measured of "
               "single options.",
       .set = Append(request.effects),
       .is_repeatable = true,
       .completes = Completes::kRun},
      {.names = "--known",
       .value = "AIM",
       .help = "questions: labels from what is written about options: throughput, latency, "
               "memory, size, boot or power.",
       .set = Store(request.aim)},
      {.names = "--labelled",
       .value = "",
       .help = "questions: leaves out what nothing is known of.",
       .set = Raise(request.needs_label)},
      {.names = "--group",
       .value = "COUNT",
       .help = "questions: how many items in one at most; 9 if not given.",
       .set = StoreCount("--group", request.max_items, 1, 1000)},
      {.names = "--arch",
       .value = "ARCH",
       .help = "questions: the architecture; this machine's if not given.",
       .set = Store(request.tree.arch)},
      {.names = "-c,--config",
       .value = "FILE",
       .help = "questions: the .config to begin with.",
       .set = Store(request.tree.config),
       .completes = Completes::kFile}};
}

std::vector<Flag> SetFlags(DataRequest& request) {
  return {{.names = "--by",
           .value = "WHAT",
           .help = "split, check: option (default) or goal.",
           .set = Store(request.by),
           .completes = Completes::kChoices,
           .choices = {"option", "goal"}},
          {.names = "--validation",
           .value = "SHARE",
           .help = "split: of the questions; 10% if not given.",
           .set = StoreParsed("--validation", ParseShare, request.split.validation)},
          {.names = "--test",
           .value = "SHARE",
           .help = "split: of the questions; 10% if not given.",
           .set = StoreParsed("--test", ParseShare, request.split.test)},
          {.names = "--seed",
           .value = "NUMBER",
           .help = "split: decides among sets of one size; 1 if not given.",
           .set = StoreParsed("--seed", ParseSeed, request.split.seed)},
          {.names = "--validation-log",
           .value = "FILE",
           .help = "import: a log that its authors validate on.",
           .set = Append(request.held_out),
           .is_repeatable = true,
           .completes = Completes::kFile},
          {.names = "--service",
           .value = "",
           .help = "episodes: of tasks in the store, by the beginning of their ids.",
           .set = Raise(request.is_service)},
          {.names = "--as",
           .value = "TRAINER",
           .help = "export: trl or verl.",
           .set = Store(request.trainer),
           .completes = Completes::kChoices,
           .choices = {"trl", "verl"}},
          {.names = "-o,--out",
           .value = "FILE",
           .help = "Where the lines go; - is standard output, the default.",
           .set = Store(request.output),
           .completes = Completes::kFile}};
}

}  // namespace

Verb MakeDataVerb() {
  const auto request = std::make_shared<DataRequest>();
  Verb verb;
  verb.name = "data";
  verb.summary = "makes, checks, splits and exports sets to train language models with";
  verb.description =
      "Question sets about build options with labels that say where they come from, and\n"
      "conversations from what was tried and measured; one JSON object on each line.\n"
      "docs/formats/training-data.md";
  verb.flags = {{.names = "ACTION",
                 .value = "",
                 .help = "questions, split, check, import, episodes or export.",
                 .set = Store(request->action),
                 .is_required = true,
                 .completes = Completes::kChoices,
                 .choices = ActionNames(kDataActions)},
                {.names = "OPERAND",
                 .value = "",
                 .help = "A tree, files or runs, as the action has it.",
                 .set = Append(request->operands),
                 .is_repeatable = true,
                 .completes = Completes::kFile}};
  for (Flag& flag : QuestionFlags(*request)) verb.flags.push_back(std::move(flag));
  for (Flag& flag : SetFlags(*request)) verb.flags.push_back(std::move(flag));
  verb.examples = {{"hone data questions linux-6.1 --goal \"an I2C bus on GPIO pins\" --needs "
                    "I2C_GPIO=y -o i2c.jsonl",
                    "Questions whose answers the solver knows."},
                   {"hone data questions linux-6.1 --goal throughput --known throughput -o t.jsonl",
                    "With what is written about options."},
                   {"hone data split i2c.jsonl t.jsonl --by option -o set.jsonl",
                    "No option stands in two splits."},
                   {"hone data check set.jsonl", "Whether anything leaks."},
                   {"hone data export set.jsonl --as verl -o verl.jsonl", "Rows for verl."}};
  verb.run = [request](Shell& shell) { return RunDataAction(shell, *request); };
  verb.more_help = [] { return "\nActions:\n" + TwoColumns(ActionRows(kDataActions)); };
  return verb;
}

}  // namespace hone::cli
