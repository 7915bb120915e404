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
#include <string>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/json.h"
#include "hone/core/result.h"
#include "hone/eval/bell.h"
#include "hone/server/campaign_log.h"
#include "hone/server/live_campaign.h"
#include "hone/server/lookout.h"
#include "hone/server/wake_list.h"
#include "hone/tune/campaign_history.h"

namespace hone {

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
  // An Error of kInvalidArgument says which forms there are, one of kNotFound why there is nothing.
  std::function<std::vector<std::string>(const CampaignHistory&)> forms;
  std::function<Result<ExportedFile>(const CampaignHistory&, const std::string& form)> make;
};

// The campaigns of a store, whoever runs them, for those who look on. Nobody polls: every change of
// the store rings a bell. Safe for concurrent use.
class CampaignBoard {
 public:
  // What is passed by reference outlives it.
  CampaignBoard(CampaignSettings settings, Clock& clock, Alarms& alarms, Post post);
  ~CampaignBoard();

  const CampaignSettings& settings() const { return settings_; }
  Clock& clock() { return clock_; }
  WakeList& wakes() { return wakes_; }
  Lookout& lines() { return lines_; }           // The list, for those who watch it.
  std::uint64_t ring() const { return ring_; }  // Rises with each change of the store.

  // The id itself; of "last", that of the newest campaign.
  Result<std::string> Resolve(const std::string& id);

  Result<Json> List();
  // Soon: `is_read` says whether all of a long history was read already.
  Result<Json> Describe(const std::string& id);
  Result<CampaignHistory> Load(const std::string& id);
  Result<std::shared_ptr<CampaignLog>> LogOf(const std::string& id);

  // A campaign that this process runs, from now on.
  std::shared_ptr<LiveCampaign> Enter(const std::string& id,
                                      std::shared_ptr<CampaignControl> control);
  // Null for others.
  std::shared_ptr<LiveCampaign> FindLive(const std::string& id);

  void Close();  // Ends all streams.

 private:
  Result<Bulletin::Items> Lines();  // By id.
  void Hang();                      // The bell, once there is a store beside which it can hang.
  std::string StateOf(const CampaignStore& store, const StoredCampaign& campaign);

  const CampaignSettings settings_;
  Clock& clock_;
  WakeList wakes_;
  std::atomic<std::uint64_t> ring_ = 1;

  std::mutex mutex_;
  // State below is protected by mutex_.
  std::map<std::string, std::weak_ptr<CampaignLog>> logs_;
  std::deque<std::shared_ptr<CampaignLog>> kept_;  // Those used last: opened again cheaply.
  std::map<std::string, std::shared_ptr<LiveCampaign>> live_;
  std::unique_ptr<Bell> bell_;
  bool is_ending_ = false;  // No bell is hung any more.

  Lookout lines_;  // Last, so that what it looks at is there.
};

}  // namespace hone
