// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <vector>

#include "hone/app/campaign/forget_campaign.h"
#include "hone/base/json/json.h"
#include "hone/cli/verbs.h"
#include "hone/tune/campaign/words.h"

namespace hone::cli {
namespace {

Result<ExitCode> ForgetAll(Shell& shell, const std::vector<std::string>& runs) {
  Json forgotten = Json::array();
  for (const std::string& run : runs) {
    const auto one = app::ForgetCampaign(shell.store, shell.clock, run);
    if (!one) return one.error();
    forgotten.push_back({{"id", one->id}, {"evaluations", one->evaluations}});
    if (shell.wants_json) continue;
    shell.console.out << fmt::format("Forgot {}, with {}.\n", one->id,
                                     tune::CountText(one->evaluations, "evaluation"));
  }
  if (shell.wants_json) shell.console.out << Dump({{"forgotten", forgotten}}) << '\n';
  return ExitCode::kYes;
}

}  // namespace

Verb MakeForgetVerb() {
  const auto runs = std::make_shared<std::vector<std::string>>();
  Verb verb;
  verb.name = "forget";
  verb.summary = "removes stored campaigns with all that was measured for them";
  verb.description =
      "What is forgotten cannot be brought back: hone export keeps a copy. One that runs is\n"
      "not forgotten; stop it first. What a campaign has put into force stays (hone sysctl\n"
      "restore).";
  verb.flags = {{.names = "RUN",
                 .value = "",
                 .help = "A campaign, such as toy-7, or last; hone runs lists them.",
                 .set = Append(*runs),
                 .is_repeatable = true,
                 .is_required = true,
                 .completes = Completes::kRun}};
  verb.examples = {{"hone forget toy-3 toy-4", "These two."}};
  verb.run = [runs](Shell& shell) { return ForgetAll(shell, *runs); };
  return verb;
}

}  // namespace hone::cli
