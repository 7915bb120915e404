// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "hone/eval/worker/pause_gate.h"
#include "hone/server/campaigns/live_campaign.h"

namespace hone::app {

// The buttons of the dashboard, for a campaign that this process runs: stopping and restoring are
// what Ctrl-C does, once and twice. Safe for concurrent use, also after the campaign has ended.
class LocalControl final : public server::CampaignControl {
 public:
  struct Hooks {
    std::function<void()> wrap_up;
    std::function<void()> abandon;
    std::function<void()> on_change;  // State() may be another now.
  };

  explicit LocalControl(Clock& clock);

  PauseGate& gate() { return gate_; }

  // While the campaign runs. What the hooks use lives until End.
  void Begin(Hooks hooks);
  void NoteStop();  // After Ctrl-C.
  void End();
  bool was_abandoned() const;  // By Restore.

  void Pause() override;
  void Resume() override;
  void Stop() override;
  void Restore() override;
  std::string State() const override;

 private:
  void Notify();

  PauseGate gate_;
  mutable std::recursive_mutex mutex_;  // A hook may ask for the state.
  Hooks hooks_;                         // Protected by mutex_, as what follows.
  bool is_running_ = false;
  bool is_stopping_ = false;
  bool was_abandoned_ = false;
};

}  // namespace hone::app
