// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "hone/base/clock.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"

namespace hone::server {

// What a person may ask of a campaign that runs in this process.
class CampaignControl {
 public:
  virtual ~CampaignControl() = default;

  virtual void Pause() = 0;    // No new run begins.
  virtual void Resume() = 0;   // Takes back Pause.
  virtual void Stop() = 0;     // The search ends; what it found is still proven.
  virtual void Restore() = 0;  // Everything ends at once, and what was changed is put back.

  // "running", "pausing", "paused", "stopping" or "done".
  virtual std::string State() const = 0;
};

// What there is to see of a campaign that runs in this process, besides what is stored: the latest
// of each kind of state, and the last lines of its log. Whoever shows something never waits for who
// looks on: nothing is kept but that. Safe for concurrent use.
class LiveCampaign {
 public:
  // `on_change` is short and does not block.
  LiveCampaign(std::string id, Clock& clock, std::shared_ptr<CampaignControl> control,
               std::function<void()> on_change);

  const std::string& id() const { return id_; }
  CampaignControl& control() { return *control_; }

  // Replaces what was shown of this kind; the same again is no change.
  void Show(const std::string& kind, const Json& data);
  void Log(std::string_view level, std::string_view text);  // "info", "warning" or "error".

  // How much somebody has seen.
  struct Cursor {
    std::uint64_t version = 0;
    std::uint64_t line = 0;
  };
  // What changed since, as server-sent events; moves the cursor.
  std::string Since(Cursor& cursor) const;

 private:
  struct Shown {
    std::uint64_t version = 0;
    std::string text;
  };
  struct Line {
    std::uint64_t sequence = 0;
    std::string text;
  };

  const std::string id_;
  Clock& clock_;
  const std::shared_ptr<CampaignControl> control_;
  const std::function<void()> on_change_;
  mutable std::mutex mutex_;

  // State below is protected by mutex_.
  std::map<std::string, Shown> shown_;
  std::deque<Line> lines_;
  std::uint64_t version_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace hone::server
