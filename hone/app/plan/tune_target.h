// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hone/agent/chat/chat_model.h"
#include "hone/app/builtins.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/domains/sysctl/workload/workload_spec.h"
#include "hone/tune/campaign/campaign_spec.h"

namespace hone::app {

// What the TARGET of `hone tune` means.
// NOLINTNEXTLINE(bugprone-exception-escape): of moving a Json, which does not throw.
struct TuneTarget {
  std::string what;                              // For messages: the file, or the target itself.
  Json document;                                 // A campaign's spec, not yet complete.
  std::optional<sysctl::WorkloadSpec> workload;  // Where the target is one.
  std::string choice;                            // How a sentence was understood; else empty.
  std::string aim = {};                          // What of it became the objective, in words.
};

// A domain, a preset, a file (of a campaign, a workload, or the older autotuner), or a plain
// sentence. An Error lists what there is. A sentence is read by the model, if there is one and it
// is of use, else by rules; `choice` says by whom.
Result<TuneTarget> ReadTarget(const std::string& target, const Builtins& builtins,
                              agent::ChatModel* model = nullptr);

bool IsSentence(const std::string& target);

// Presets and domains.
std::vector<std::string> TargetNames(const DomainTable& domains);

// What the workload says about the campaign: objectives, limits, budget.
void ApplyWorkload(const sysctl::WorkloadSpec& workload, tune::CampaignSpec& spec);

// The domain's options for this workload.
Options OptionsFor(const sysctl::WorkloadSpec& workload);

}  // namespace hone::app
