// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/tune/campaign/campaign_history.h"
#include "hone/tune/campaign/counter_changes.h"
#include "hone/tune/campaign/verdict.h"

// The tables of the report, as HTML. Empty where there is nothing to show; bounded in size.
namespace hone::report {

// Every changed parameter, from and to; beside it its own effect where that was measured.
std::string ChangeTable(const tune::CampaignHistory& history, const tune::Verdict& verdict,
                        const tune::Proof& proof);

// The numbers of a proof that are not in its headline: each objective where there are several, and
// each limit.
std::string ProofTable(const tune::CampaignHistory& history, const tune::Proof& proof);

// What counters and pressure say of the proof's runs.
std::string CounterTable(const tune::CampaignHistory& history, const tune::CounterReport& report);

std::string FrontTable(const tune::CampaignHistory& history, const std::vector<tune::Proof>& front);

std::string TrialTable(const tune::CampaignHistory& history,
                       const std::vector<tune::TrialHistory>& trials);

// What the gate found, and what it warned of.
std::string GateTable(const tune::CampaignHistory& history);

// Runs, disturbed runs and time by phase.
std::string PhaseTable(const tune::CampaignHistory& history);

std::string MachineTable(const tune::CampaignHistory& history);
std::string SettingsTable(const tune::CampaignHistory& history);

}  // namespace hone::report
