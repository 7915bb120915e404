// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "hone/app/checkup/checkup.h"
#include "hone/base/json/json.h"
#include "hone/cli/text/readable.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/chat_flags.h"

namespace hone::cli {
namespace {

Json CheckupJson(const std::vector<app::Check>& checks) {
  Json list = Json::array();
  for (const app::Check& check : checks) {
    list.push_back({{"area", check.area},
                    {"name", check.name},
                    {"state", NameOf(check.state)},
                    {"detail", check.detail}});
  }
  return {{"checks", list}};
}

std::string CheckupText(const std::vector<app::Check>& checks) {
  TableRows rows;
  std::string area;
  for (const app::Check& check : checks) {
    rows.push_back({check.area == area ? "" : check.area, check.name,
                    std::string(NameOf(check.state)), check.detail});
    area = check.area;
  }
  const auto limited = std::count_if(checks.begin(), checks.end(), [](const app::Check& check) {
    return check.state != app::Check::State::kOk;
  });
  return TableText(rows, "") +
         (limited == 0 ? "\nEverything is there.\n"
                       : fmt::format("\n{} of {} are limited or missing; each says why.\n", limited,
                                     checks.size()));
}

Result<ExitCode> Doctor(Shell& shell, const agent::ChatSettings& chat) {
  std::vector<app::Check> checks = app::CheckBuild(shell.builtins);
  for (auto&& more :
       {app::CheckDomains(shell.builtins.domains), app::CheckBackends(), app::CheckPresets(),
        app::CheckServices(), app::CheckChat(chat, shell.clock), app::CheckStore(shell.store),
        app::CheckMachine(MachineWatch()), app::CheckIsolation(), app::CheckSandbox()}) {
    checks.insert(checks.end(), more.begin(), more.end());
  }
  if (shell.wants_json) {
    shell.console.out << Dump(CheckupJson(checks)) << '\n';
  } else {
    shell.console.out << CheckupText(checks);
  }
  return ExitCode::kYes;
}

}  // namespace

Verb MakeDoctorVerb() {
  const auto chat = std::make_shared<agent::ChatSettings>();
  Verb verb;
  verb.name = "doctor";
  verb.summary = "tells what this machine and build can do, and why not";
  verb.description =
      "Each line is ok, limited or missing, with the reason. Exit status 0: it is told,\n"
      "whatever it is. A language model that is configured is asked three questions.";
  verb.flags = ChatFlags(*chat);
  verb.examples = {
      {"hone doctor", "Everything."},
      {"hone doctor --json | jq '.checks[] | select(.state != \"ok\")'",
       "What is not as it could be."},
      {"hone doctor --llm http://127.0.0.1:8000", "Also what the language model there can do."}};
  verb.run = [chat](Shell& shell) { return Doctor(shell, *chat); };
  return verb;
}

}  // namespace hone::cli
