// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/agent/chat/tool.h"
#include "hone/agent/knowledge/knowledge_base.h"
#include "hone/agent/knowledge/knowledge_build.h"
#include "hone/agent/knowledge/knowledge_tools.h"
#include "hone/agent/knowledge/measured.h"
#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/tune/campaign/campaign_store.h"

namespace hone::app {

// Where the base of this machine is and what it is made from besides a kernel tree.
struct KnowledgePlace {
  std::filesystem::path base;   // KnowledgePath() if nobody says otherwise.
  std::filesystem::path store;  // Of campaigns.
};

std::filesystem::path KnowledgePath();  // In the cache folder: it can be made again.

// Opens the base, and makes one if there is none. Our own data and the campaigns of the store are
// in it as they are now, but for those of a submitter, since whoever asks is told what is in it; a
// kernel tree is in it once BuildKnowledgeHere was called. Where another process is writing, it is
// as that has left it.
Result<agent::KnowledgeBase> OpenKnowledge(const KnowledgePlace& place, Clock& clock);

struct KnowledgeTreeRequest {
  std::filesystem::path tree;
  std::string arch;    // Empty: $ARCH, or this machine's.
  std::string config;  // A .config to begin with; empty: all defaults.
};

// The options of a tree. Its commands run restricted; warnings of the parser are not told.
Result<std::shared_ptr<const agent::OptionGround>> LoadOptionGround(
    const KnowledgeTreeRequest& request);

// Brings the base up to date with the tree. `tell` hears what is being done; may be null.
Result<agent::BuildReport> BuildKnowledgeHere(
    const KnowledgePlace& place, Clock& clock, const KnowledgeTreeRequest& request,
    const std::function<void(const std::string& text)>& tell);

// What campaigns on this machine measured that the asker sees; none where nothing is stored yet.
Result<std::vector<agent::MeasuredEffect>> EffectsHere(const KnowledgePlace& place, Clock& clock,
                                                       const tune::CampaignAsker& asker = {});

// The campaigns with their trials, which are read of the first hundred that ended.
Result<std::vector<agent::SearchedCampaign>> SearchedIn(
    tune::CampaignStore& store, std::vector<tune::StoredCampaign> campaigns);

// The tree that the base was built from; kNotFound, with what to do, if from none.
Result<KnowledgeTreeRequest> TreeOfBase(agent::KnowledgeBase& base);

// The name that we know something by: /sys/block/*/queue/scheduler of
// /sys/block/sda/queue/scheduler; else the name itself.
std::string KnownNameOf(const std::string& name);

// A configuration that somebody works on, as it is now.
using OptionSource = std::function<Result<std::shared_ptr<const agent::OptionGround>>()>;

// The tools for models over the base of this machine, which the first use of one opens. They tell
// everybody the same, so nothing of a campaign that has a submitter. what_blocks answers about
// `options`; without them about the tree that the base was built from, with all defaults. `clock`
// outlives the tools.
std::vector<agent::Tool> MakeKnowledgeToolsHere(const KnowledgePlace& place, Clock& clock,
                                                OptionSource options = nullptr);

}  // namespace hone::app
