// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/clock.h"
#include "hone/core/result.h"
#include "hone/eval/sqlite/evaluation_store.h"
#include "hone/tune/campaign/campaign_history.h"
#include "hone/tune/campaign/campaign_store.h"
#include "hone/tune/campaign/event_sequencer.h"

namespace hone::server {

// The durable events of one stored campaign, numbered from 1 without gaps. They follow from the
// store alone, so they are the same for every server, now and after a restart. Reads only what is
// new. Safe for concurrent use.
class CampaignLog {
 public:
  // kNotFound if there is no such campaign.
  static Result<std::shared_ptr<CampaignLog>> Open(const std::filesystem::path& store,
                                                   const std::string& id, Clock& clock);

  // Reads what was stored since, unless this was done for the same `ring` of the store's bell (0:
  // in any case). A long history is read in several calls, so that each is short: false, if there
  // is more.
  Result<bool> Refresh(std::uint64_t ring);

  // The campaign as far as it was read, without what was measured in each run.
  tune::CampaignHistory Gist() const;

  struct Page {
    std::string text;        // Whole events.
    std::uint64_t last = 0;  // The id of the last one.
    bool is_end = false;     // The campaign is done, and this was the rest.
  };
  // Those after this id, at most about so many bytes.
  Page After(std::uint64_t id, std::size_t max_bytes) const;

 private:
  CampaignLog(tune::CampaignStore store, std::filesystem::path path, tune::StoredCampaign campaign);

  Result<bool> ReadSome();
  void AddDecisions(bool is_all);
  Result<bool> ReadEvaluations();
  Result<std::size_t> ReadBlocks(std::int64_t max);
  void Emit(const tune::CampaignEvent& event);

  const std::filesystem::path path_;
  mutable std::mutex mutex_;

  // State below is protected by mutex_.
  tune::CampaignStore store_;
  std::optional<EvaluationStore> evaluations_;  // None before the first task was pushed.
  tune::CampaignHistory gist_;
  tune::EventSequencer walk_;
  std::size_t walked_ = 0;     // Decisions that the walk has.
  std::int64_t sequence_ = 0;  // Of the last evaluation read.
  std::uint64_t ring_ = 0;     // Of the last Refresh.
  std::vector<std::string> events_;
  bool is_done_ = false;
};

}  // namespace hone::server
