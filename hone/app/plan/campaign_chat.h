// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "hone/agent/chat/chat_settings.h"
#include "hone/agent/proposer/llm_proposer.h"
#include "hone/app/plan/tune_plan.h"
#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/tune/proposers/proposer.h"

// The language model of a campaign whose engine is llm: who is asked, and what was answered.
namespace hone::app {

// Puts into the plan's engine options whom to ask and what to tell them of goal, machine and risks:
// a resumed campaign asks the same one, and a replay with the same words. Of a key only its place
// is kept. A plan with another engine stays as it is.
Result<void> KeepChat(const agent::ChatSettings& settings, TunePlan& plan);

// What KeepChat kept; without a URL if it kept nothing.
Result<agent::ChatSettings> KeptChat(const std::map<std::string, std::string>& options);

// The engine as the table of builtins has it: it checks whom it would ask, and asks nobody.
tune::ProposerEntry LlmEntry();

// What a campaign's own engine is made with.
struct CampaignChat {
  std::filesystem::path store;
  std::string campaign;                                       // Its id.
  std::optional<agent::ChatSettings> instead = std::nullopt;  // Of whom it was begun with.
  std::stop_token abandon = {};  // Ends a question; the campaign then decides nothing more.
};

// What a model was asked about the plan's sentence becomes the campaign's first exchange, and what
// that cost is spent of its budget. A plan without it stays as it is.
Result<void> KeepReading(const TunePlan& plan, const CampaignChat& chat, Clock& clock);

// The tables in which the engine llm asks: the campaign's model, recorded in the store; only the
// record; nobody. The clock outlives what they make.
tune::ProposerTable WithCampaignChat(tune::ProposerTable table, const CampaignChat& chat,
                                     Clock& clock);
tune::ProposerTable WithRecordedChat(tune::ProposerTable table, const CampaignChat& chat,
                                     Clock& clock);
tune::ProposerTable WithoutChat(tune::ProposerTable table);

}  // namespace hone::app
