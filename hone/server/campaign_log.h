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
#include "hone/eval/evaluation_store.h"
#include "hone/tune/campaign_store.h"
#include "hone/tune/campaign_walk.h"

namespace hone {

// The durable events of one stored campaign, numbered from 1 without gaps. They follow from the
// store alone, so they are the same for every server, now and after a restart. Reads only what is
// new. Safe for concurrent use.
class CampaignLog {
 public:
  // kNotFound if there is no such campaign.
  static Result<std::shared_ptr<CampaignLog>> Open(const std::filesystem::path& store,
                                                   const std::string& id, Clock& clock);

  // Reads what was stored since, unless this was done for the same `ring` of the store's bell.
  Result<void> Refresh(std::uint64_t ring);

  struct Page {
    std::string text;        // Whole events.
    std::uint64_t last = 0;  // The id of the last one.
    bool is_end = false;     // The campaign is done, and this was the rest.
  };
  // Those after this id, at most about so many bytes.
  Page After(std::uint64_t id, std::size_t most_bytes) const;

 private:
  CampaignLog(CampaignStore store, std::filesystem::path path, StoredCampaign campaign);

  Result<void> ReadAll();
  Result<void> ReadEvaluations();
  void Tell(const Happening& happening);

  const std::filesystem::path path_;
  mutable std::mutex mutex_;

  // State below is protected by mutex_.
  CampaignStore store_;
  std::optional<EvaluationStore> evaluations_;  // None before the first task was pushed.
  StoredCampaign campaign_;
  CampaignWalk walk_;
  std::size_t decisions_ = 0;  // Read so far.
  std::int64_t sequence_ = 0;  // Of the last evaluation read.
  std::uint64_t ring_ = 0;     // Of the last Refresh.
  std::vector<std::string> events_;
  bool is_done_ = false;
};

}  // namespace hone
