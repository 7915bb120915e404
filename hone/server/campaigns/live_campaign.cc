// SPDX-License-Identifier: Apache-2.0
#include "hone/server/campaigns/live_campaign.h"

#include <utility>

#include "hone/base/json/records.h"
#include "hone/server/http/event_stream.h"

namespace hone::server {
namespace {

constexpr std::size_t kMaxLines = 500;

}  // namespace

LiveCampaign::LiveCampaign(std::string id, Clock& clock, std::shared_ptr<CampaignControl> control,
                           std::function<void()> on_change)
    : id_(std::move(id)),
      clock_(clock),
      control_(std::move(control)),
      on_change_(std::move(on_change)) {}

void LiveCampaign::Show(const std::string& kind, const Json& data) {
  std::string text = EventText(kind, data);
  {
    const std::lock_guard lock(mutex_);
    Shown& shown = shown_[kind];
    if (shown.text == text) return;
    shown = {++version_, std::move(text)};
  }
  on_change_();
}

void LiveCampaign::Log(std::string_view level, std::string_view text) {
  {
    const std::lock_guard lock(mutex_);
    const std::uint64_t sequence = ++sequence_;
    lines_.push_back({sequence, EventText("log", {{"at", IsoTime(clock_.Wall())},
                                                  {"level", level},
                                                  {"text", text},
                                                  {"sequence", sequence}})});
    if (lines_.size() > kMaxLines) lines_.pop_front();
  }
  on_change_();
}

std::string LiveCampaign::Since(Cursor& cursor) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [kind, shown] : shown_) {
    if (shown.version > cursor.version) text += shown.text;
  }
  for (const Line& line : lines_) {
    if (line.sequence > cursor.line) text += line.text;
  }
  cursor = {version_, sequence_};
  return text;
}

}  // namespace hone::server
