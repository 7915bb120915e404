// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs.h"

namespace hone {

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

std::vector<Verb> AllVerbs(const Builtins& builtins) {
  return {MakeTuneVerb(builtins), MakeWatchVerb(),      MakeTrainVerb(),    MakeRunsVerb(),
          MakeShowVerb(),         MakeResumeVerb(),     MakeReplayVerb(),   MakeReportVerb(),
          MakeExportVerb(),       MakeSysctlVerb(),     MakeKconfigVerb(),  MakeVerifyVerb(),
          MakeDoctorVerb(),       MakeCompletionVerb(), MakeWorkloadVerb(), MakeVersionVerb(),
          MakeEvalVerb(),         MakeServeVerb(),      MakeWorkerVerb()};
}

}  // namespace hone
