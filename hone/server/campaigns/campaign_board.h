// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/eval/sqlite/change_signal.h"
#include "hone/server/campaigns/campaign_log.h"
#include "hone/server/campaigns/live_campaign.h"
#include "hone/server/live/async_condition.h"
#include "hone/server/live/shared_poller.h"
#include "hone/tune/campaign/campaign_history.h"

namespace hone::server {

// A file made from a campaign.
struct ExportedFile {
  std::string name;  // "toy-7.csv"
  std::string type;  // "text/csv"
  std::string text;
};

struct CampaignSettings {
  std::filesystem::path store;
  std::string version;
  // The forms in which this campaign can be exported, and one of them: the server knows no domain.
  // `pick` chooses a point of a trade-off, from 1. An Error of kInvalidArgument says which forms or
  // points there are, one of kNotFound why there is nothing.
  std::function<std::vector<std::string>(const tune::CampaignHistory&)> forms;
  std::function<Result<ExportedFile>(const tune::CampaignHistory&, const std::string& form,
                                     std::optional<std::size_t> pick)>
      make;
};

// The campaigns of a store, whoever runs them, for those who look on. Nobody polls: every change of
// the store rings a bell. Safe for concurrent use.
class CampaignBoard {
 public:
  // What is passed by reference outlives it.
  CampaignBoard(CampaignSettings settings, Clock& clock, TimerQueue& timers, Post post);
  ~CampaignBoard();

  const CampaignSettings& settings() const { return settings_; }
  Clock& clock() { return clock_; }
  AsyncCondition& wakes() { return wakes_; }
  std::uint64_t ring() const { return ring_; }  // Rises with each change of the store.

  // The id itself; of "last", that of the newest campaign that the asker sees. kNotFound if it sees
  // no such campaign: what takes an id does not ask for whom.
  Result<std::string> Resolve(const std::string& id, const tune::CampaignAsker& asker = {});

  Result<Json> List(const tune::CampaignAsker& asker);
  HttpResponse WatchList(const HttpRequest& request, const tune::CampaignAsker& asker);

  // Soon: `is_read` says whether all of a long history was read already.
  Result<Json> Describe(const std::string& id);
  Result<tune::CampaignHistory> Load(const std::string& id);
  Result<std::shared_ptr<CampaignLog>> LogOf(const std::string& id);

  // A campaign that this process runs, from now on.
  std::shared_ptr<LiveCampaign> Register(const std::string& id,
                                         std::shared_ptr<CampaignControl> control);
  // Null for others.
  std::shared_ptr<LiveCampaign> FindLive(const std::string& id);

  void Close();  // Ends all streams.

 private:
  // The line of each campaign that the asker sees, in the order of the list, and whose it is.
  struct OwnedCampaignLine {
    Json line;
    std::string submitter;
  };
  Result<std::vector<OwnedCampaignLine>> LinesFor(const tune::CampaignAsker& asker);
  Result<VersionedMap::Items> Lines();  // By id, as shown_items.h has them.
  void Hang();                          // The bell, once there is a store beside which it can hang.
  std::string StateOf(const tune::CampaignStore& store, const tune::StoredCampaign& campaign);

  const CampaignSettings settings_;
  Clock& clock_;
  AsyncCondition wakes_;
  std::atomic<std::uint64_t> ring_ = 1;

  std::mutex mutex_;
  // State below is protected by mutex_.
  std::map<std::string, std::weak_ptr<CampaignLog>> logs_;
  std::deque<std::shared_ptr<CampaignLog>> kept_;  // Those used last: opened again cheaply.
  std::map<std::string, std::shared_ptr<LiveCampaign>> live_;
  std::unique_ptr<ChangeSignal> change_signal_;
  bool is_ending_ = false;  // No bell is hung any more.

  SharedPoller lines_;  // Last, so that what it looks at is there.
};

}  // namespace hone::server
