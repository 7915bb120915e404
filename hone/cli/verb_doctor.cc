// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "hone/base/json.h"
#include "hone/cli/checkup.h"
#include "hone/cli/readable.h"
#include "hone/cli/verbs.h"

namespace hone {
namespace {

Json JsonOf(const std::vector<Check>& checks) {
  Json list = Json::array();
  for (const Check& check : checks) {
    list.push_back({{"area", check.area},
                    {"name", check.name},
                    {"state", NameOf(check.state)},
                    {"detail", check.detail}});
  }
  return {{"checks", list}};
}

std::string TextOf(const std::vector<Check>& checks) {
  std::vector<std::vector<std::string>> rows;
  std::string area;
  for (const Check& check : checks) {
    rows.push_back({check.area == area ? "" : check.area, check.name,
                    std::string(NameOf(check.state)), check.detail});
    area = check.area;
  }
  const auto limited = std::count_if(checks.begin(), checks.end(), [](const Check& check) {
    return check.state != Check::State::kOk;
  });
  return TableText(rows, "") +
         (limited == 0 ? "\nEverything is there.\n"
                       : fmt::format("\n{} of {} are limited or missing; each says why.\n", limited,
                                     checks.size()));
}

Result<ExitCode> Doctor(Shell& shell) {
  std::vector<Check> checks = CheckBuild(shell.builtins);
  for (auto&& more : {CheckDomains(shell.builtins.domains), CheckPresets(), CheckStore(shell.store),
                      CheckMachine(MachineWatch()), CheckIsolation(), CheckSandbox()}) {
    checks.insert(checks.end(), more.begin(), more.end());
  }
  if (shell.wants_json) {
    shell.console.out << Dump(JsonOf(checks)) << '\n';
  } else {
    shell.console.out << TextOf(checks);
  }
  return ExitCode::kYes;
}

}  // namespace

Verb MakeDoctorVerb() {
  Verb verb;
  verb.name = "doctor";
  verb.summary = "tells what this machine and build can do, and why not";
  verb.description =
      "Each line is ok, limited or missing, with the reason. Exit status 0: it is told,\n"
      "whatever it is.";
  verb.examples = {{"hone doctor", "Everything."},
                   {"hone doctor --json | jq '.checks[] | select(.state != \"ok\")'",
                    "What is not as it could be."}};
  verb.run = Doctor;
  return verb;
}

}  // namespace hone
