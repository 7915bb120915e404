// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/cli/verb.h"

namespace hone::cli {

// Every verb, in the order in which help lists them. `builtins` outlives them.
std::vector<Verb> AllVerbs(const app::Builtins& builtins);

Verb MakeTuneVerb(const app::Builtins& builtins);
Verb MakeCompareVerb(const app::Builtins& builtins);
Verb MakeWatchVerb();
Verb MakeRunsVerb();
Verb MakeForgetVerb();
Verb MakeLabelVerb();
Verb MakeShowVerb();
Verb MakeResumeVerb();
Verb MakeReplayVerb();
Verb MakeReportVerb();
Verb MakeExportVerb();
Verb MakeSysctlVerb();
Verb MakeKconfigVerb();
Verb MakeKnowledgeVerb();
Verb MakeAgentVerb();
Verb MakeVerifyVerb();
Verb MakeDashboardVerb();
Verb MakeDoctorVerb();
Verb MakeCompletionVerb();
Verb MakeVersionVerb();
Verb MakeWorkloadVerb();
Verb MakeObserveVerb();
Verb MakeTrainVerb(const app::Builtins& builtins);
Verb MakeServeVerb();
Verb MakeWorkerVerb();
Verb MakeEvalVerb();
Verb MakeProblemsVerb();
Verb MakeLlmVerb();
Verb MakeMcpVerb();
Verb MakeDataVerb();
Verb MakeRewardsVerb();

}  // namespace hone::cli
