// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "hone/base/temp_dir.h"
#include "hone/eval/queue/task_queue.h"
#include "hone/testing/fake_clock.h"
#include "hone/tune/campaign/campaign_history.h"
#include "hone/tune/campaign/campaign_store.h"

namespace hone::server {

// Stores a made-up campaign in a real file, piece by piece, in the order in which a campaign does.
class StoredStory {
 public:
  explicit StoredStory(tune::CampaignHistory history);

  const std::filesystem::path& path() const { return path_; }
  const std::string& id() const { return id_; }
  tune::CampaignStore& store() { return store_; }

  // Stores the next block, decision or verdict; false if nothing is left.
  bool Next();
  void StoreAll() {
    while (Next()) {
    }
  }

 private:
  void StoreBlock(const tune::HistoryBlock& block);

  FakeClock clock_;  // So that what is stored is the same every time.
  TempDir folder_;
  std::filesystem::path path_;
  tune::CampaignHistory history_;
  tune::CampaignStore store_;
  std::unique_ptr<TaskQueue> queue_;
  std::string id_;
  std::size_t blocks_ = 0;
  std::size_t decisions_ = 0;
  bool is_done_ = false;
};

}  // namespace hone::server
