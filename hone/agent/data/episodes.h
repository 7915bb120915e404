// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hone/agent/chat/chat_model.h"
#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/eval/sqlite/evaluation_store.h"
#include "hone/tune/campaign/campaign_history.h"

// What was tried and measured, as conversations to learn from.
namespace hone::agent {

// One thing that was proposed, with what led to it, and what it was worth.
struct Episode {
  std::string id;                     // "toy-7/trial/3", "task/0123"
  std::vector<ChatMessage> messages;  // Rules, situation, proposal.
  Outcome outcome = Outcome::kAccepted;
  std::string reason;            // Why it was not accepted.
  std::optional<double> reward;  // None where it cannot be computed; never 0 instead.
  std::string reward_rule;       // "gain", "pr", …
  std::string no_reward;         // Why there is none.
  std::optional<std::pair<double, double>> interval;  // Of the reward, 95 %.
  std::string machine;                                // Where it was measured.

  bool operator==(const Episode&) const = default;
};

// The trials of a campaign in their order. The situation is the objectives, the space, the baseline
// and the trials before it (the last kShownTrials); the proposal is what it sets, as JSON; the
// reward is the rule's, that of a failure where it was not accepted.
inline constexpr std::size_t kShownTrials = 20;
std::vector<Episode> EpisodesOf(const tune::CampaignHistory& history);

// A task of the service that brought a source, with its evaluation. The reward is Dr.Kernel's PR,
// without coverage where nothing was profiled. nullopt: it is no such task.
std::optional<Episode> EpisodeOf(const Task& task, const Evaluation& evaluation);

// All such tasks of a store whose ids begin with the prefix, in the order in which they were
// settled, one at a time: a store may be larger than memory.
Result<std::int64_t> ForEachEpisode(EvaluationStore& store, const std::string& prefix,
                                    const std::function<Result<void>(const Episode&)>& visit);

// Chat form: {"id", "messages", "outcome", "reason", "reward", "reward_rule", "interval", …}.
using hone::ToJson;
Json ToJson(const Episode& episode);

}  // namespace hone::agent
