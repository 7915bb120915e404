// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/tune/campaign_history.h"
#include "hone/tune/verdict.h"

// The tables of the report, as HTML. Empty where there is nothing to show; bounded in size.
namespace hone {

// Every changed parameter, from and to; beside it its own effect where that was measured.
std::string ChangeTable(const CampaignHistory& history, const Verdict& verdict, const Proof& proof);

// The numbers of a proof that are not in its headline: each objective where there are several, and
// each limit.
std::string ProofTable(const CampaignHistory& history, const Proof& proof);

std::string FrontTable(const CampaignHistory& history, const std::vector<Proof>& front);

std::string TrialTable(const CampaignHistory& history, const std::vector<TrialHistory>& trials);

// What the gate found, and what it warned of.
std::string GateTable(const CampaignHistory& history);

// Runs, disturbed runs and time by phase.
std::string PhaseTable(const CampaignHistory& history);

std::string MachineTable(const CampaignHistory& history);
std::string SettingsTable(const CampaignHistory& history);

}  // namespace hone
