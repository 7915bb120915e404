// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "hone/base/clock.h"
#include "hone/base/json/json.h"
#include "hone/core/reward.h"
#include "hone/server/campaigns/live_campaign.h"
#include "hone/tune/campaign/progress.h"

namespace hone::app {

// What the journal of kernel parameters says: {"is_clean", "changed", "sentence", "entries"}.
Json JournalJson(const std::filesystem::path& folder);

// PSI and load of this machine; what the kernel does not say is null.
Json PressureJson(Clock& clock);

// Shows a campaign of this process on the dashboard: its progress as it comes, and every two
// seconds the journal and the pressure on the machine. Safe for concurrent use.
class CampaignShow {
 public:
  // `journal` may be null. What is passed by reference outlives it.
  CampaignShow(std::shared_ptr<server::LiveCampaign> live, RewardRule rule, Clock& clock,
               std::function<Json()> journal);
  ~CampaignShow();  // Shows the state once more.

  void Show(const tune::Progress& progress);
  void Say(std::string_view level, std::string_view text) { live_->Log(level, text); }
  void ShowState();  // The control's state has changed.

 private:
  void Tick();
  void Run(const std::stop_token& stop);

  const std::shared_ptr<server::LiveCampaign> live_;
  const RewardRule rule_;
  Clock& clock_;
  const std::function<Json()> journal_;
  const Clock::Monotonic began_;
  std::mutex mutex_;
  std::optional<tune::Progress> last_;  // Protected by mutex_.
  std::jthread ticker_;                 // Last, so that what it uses is there.
};

}  // namespace hone::app
