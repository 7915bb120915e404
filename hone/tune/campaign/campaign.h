// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>

#include "hone/core/space.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/tune/campaign/campaign_spec.h"
#include "hone/tune/campaign/ledger.h"
#include "hone/tune/campaign/progress.h"
#include "hone/tune/campaign/stage.h"
#include "hone/tune/campaign/verdict.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::tune {

// What a campaign works with. Everything outlives the campaign.
struct CampaignParts {
  std::string id;  // Prefixes its tasks in the queue.
  const CampaignSpec& spec;
  const Space& space;
  Candidate baseline;
  Capabilities needs = {};
  Proposer& proposer;  // Fresh, even when the campaign is resumed: it is told everything again.
  TaskQueue& queue;    // Somebody works on it.
  Ledger& ledger;
  ProgressSink progress = nullptr;   // May be null. Called from this thread.
  std::stop_token wrap_up = {};      // End the search, then still prove what there is.
  std::stop_token abandon = {};      // Give up now; what was measured is kept.
  LearntSink keep_learnt = nullptr;  // Called from this thread when there is something new.
  Pause pause = PauseFor;            // Between the parts of a proof that is spread over time.
  bool has_prices = false;           // Changes cost, so that the proposer shuns dear ones.
};

// The one loop for all proposers: an A/A gate, a search in paired races, a proof of the winner on
// fresh runs, an ablation, a verdict. Blocks until the end.
//
// Every decision goes through the ledger, and depends on the spec and the evaluations alone. So
// running it again over the same ledger and queue goes on where it was killed.
Result<Verdict> RunCampaign(const CampaignParts& parts);

}  // namespace hone::tune
