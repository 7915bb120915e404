// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <ostream>

#include "hone/app/stored/stored_run.h"
#include "hone/base/json/json.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/run_flags.h"

namespace hone::cli {
namespace {

struct LabelArguments {
  std::string run;
  std::optional<std::string> label;
  std::optional<std::string> note;
};

Result<ExitCode> SetLabel(Shell& shell, const LabelArguments& arguments) {
  auto reading = app::OpenForReading(shell.store, shell.clock);  // Makes no file.
  if (!reading) return reading.error();
  const auto campaign = reading->Find(arguments.run);
  if (!campaign) return campaign.error();
  const auto labels = reading->Labels();
  if (!labels) return labels.error();
  const auto known = labels->find(campaign->id);
  tune::CampaignLabel label = known == labels->end() ? tune::CampaignLabel{} : known->second;
  if (arguments.label || arguments.note) {
    label.label = arguments.label.value_or(label.label);
    label.note = arguments.note.value_or(label.note);
    auto store = tune::CampaignStore::Open(shell.store, shell.clock);
    if (!store) return store.error();
    if (auto set = store->SetLabel(campaign->id, label); !set) return set.error();
  }
  if (shell.wants_json) {
    shell.console.out << Dump({{"id", campaign->id}, {"label", label.label}, {"note", label.note}})
                      << '\n';
    return ExitCode::kYes;
  }
  shell.console.out << fmt::format("{}: {}\n", campaign->id,
                                   label.label.empty() ? "no label" : label.label);
  if (!label.note.empty()) shell.console.out << label.note << '\n';
  return ExitCode::kYes;
}

}  // namespace

Verb MakeLabelVerb() {
  const auto arguments = std::make_shared<LabelArguments>();
  const auto take = [](std::optional<std::string>& target) {
    return [&target](const std::string& text) -> Result<void> {
      target = text;
      return {};
    };
  };
  Verb verb;
  verb.name = "label";
  verb.summary = "gives a campaign a few words of its own, and a note";
  verb.description =
      "The label stands in hone runs and hone show, the note in hone show. Without either it\n"
      "tells what there is; an empty text removes it.";
  verb.flags = {
      RunOperand(arguments->run),
      {.names = "LABEL", .value = "", .help = "A few words.", .set = take(arguments->label)},
      {.names = "--note",
       .value = "TEXT",
       .help = "As long as it must be.",
       .set = take(arguments->note)}};
  verb.examples = {{"hone label last 'new disk' --note 'after the SSD was changed'",
                    "Find it again in a month."}};
  verb.run = [arguments](Shell& shell) { return SetLabel(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli
