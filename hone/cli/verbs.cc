// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs.h"

#include <utility>

#include "hone/base/json/parse_values.h"

namespace hone::cli {

Setter Store(std::string& target) {
  return [&target](const std::string& text) -> Result<void> {
    target = text;
    return {};
  };
}

Setter Raise(bool& target) {
  return [&target](const std::string&) -> Result<void> {
    target = true;
    return {};
  };
}

Setter Append(std::vector<std::string>& target) {
  return [&target](const std::string& text) -> Result<void> {
    target.push_back(text);
    return {};
  };
}

Setter StoreSetting(const std::string& flag, Options& target) {
  return Parsed(flag, ParseSetting, [&target](std::pair<std::string, std::string> setting) {
    target.insert_or_assign(std::move(setting.first), std::move(setting.second));
  });
}

std::vector<Verb> AllVerbs(const app::Builtins& builtins) {
  return {MakeTuneVerb(builtins), MakeCompareVerb(builtins),
          MakeWatchVerb(),        MakeTrainVerb(builtins),
          MakeRunsVerb(),         MakeShowVerb(),
          MakeLabelVerb(),        MakeForgetVerb(),
          MakeResumeVerb(),       MakeReplayVerb(),
          MakeReportVerb(),       MakeExportVerb(),
          MakeDashboardVerb(),    MakeSysctlVerb(),
          MakeKconfigVerb(),      MakeKnowledgeVerb(),
          MakeAgentVerb(),        MakeLlmVerb(),
          MakeMcpVerb(),          MakeRewardsVerb(),
          MakeDataVerb(),         MakeVerifyVerb(),
          MakeDoctorVerb(),       MakeCompletionVerb(),
          MakeWorkloadVerb(),     MakeObserveVerb(),
          MakeVersionVerb(),      MakeEvalVerb(),
          MakeProblemsVerb(),     MakeServeVerb(),
          MakeWorkerVerb()};
}

}  // namespace hone::cli
