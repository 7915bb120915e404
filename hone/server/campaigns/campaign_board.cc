// SPDX-License-Identifier: Apache-2.0
#include "hone/server/campaigns/campaign_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "hone/base/log.h"
#include "hone/eval/sqlite/evaluation_store.h"
#include "hone/server/http/event_stream.h"
#include "hone/server/live/shown_items.h"
#include "hone/tune/campaign/campaign_json.h"

namespace hone::server {
namespace {

constexpr std::size_t kMaxKept = 4;
constexpr std::chrono::milliseconds kDescribeTimeout{200};  // With a history that is long to read.

// Newest first, as the list itself.
std::string TellLines(const VersionedMap::Changes& changes) {
  std::vector<Json> lines;
  for (const auto& [id, line] : changes.items) lines.push_back(line);
  std::stable_sort(lines.begin(), lines.end(), [](const Json& one, const Json& other) {
    return one["created"].get_ref<const std::string&>() >
           other["created"].get_ref<const std::string&>();
  });
  if (changes.is_whole) return EventText("campaigns", {{"campaigns", std::move(lines)}});
  std::string text;
  for (const Json& line : lines) text += EventText("campaign", line);
  for (const std::string& id : changes.gone) text += EventText("gone", {{"id", id}});
  return text;
}

// What a map says of a campaign; that it has nothing, where it says nothing.
template <typename T>
T OneOf(const std::map<std::string, T>& all, const std::string& id) {
  const auto found = all.find(id);
  return found == all.end() ? T{} : found->second;
}

}  // namespace

CampaignBoard::CampaignBoard(CampaignSettings settings, Clock& clock, TimerQueue& timers, Post post)
    : settings_(std::move(settings)),
      clock_(clock),
      wakes_(timers, post),
      lines_(
          clock, timers, std::move(post), [this] { return Lines(); }, TellLines) {
  const std::lock_guard lock(mutex_);
  Hang();
}

CampaignBoard::~CampaignBoard() {
  Close();
  std::unique_ptr<ChangeSignal> change_signal;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    change_signal = std::move(change_signal_);
  }
}

// Where it cannot hang, in a folder that is not ours, changes are seen with the next heartbeat.
void CampaignBoard::Hang() {
  std::error_code ignored;
  if (change_signal_ || is_ending_ || !std::filesystem::exists(settings_.store, ignored)) return;
  auto change_signal = WatchChanges(ChangeSignalOf(settings_.store), [this] {
    ++ring_;
    wakes_.Call();
    lines_.Call();
  });
  if (change_signal) {
    change_signal_ = std::move(*change_signal);
  } else {
    Log(LogLevel::kDebug, "{}; campaigns of other processes are seen late",
        change_signal.error().message);
  }
}

std::string CampaignBoard::StateOf(const tune::CampaignStore& store,
                                   const tune::StoredCampaign& campaign) {
  if (campaign.state == tune::CampaignState::kDone) return "done";
  return store.IsRunning(campaign.id) ? "running" : "stopped";
}

Result<std::string> CampaignBoard::Resolve(const std::string& id,
                                           const tune::CampaignAsker& asker) {
  auto store = tune::CampaignStore::Open(settings_.store, clock_, Database::Mode::kReadOnly);
  if (!store) return store.error();
  const auto campaign = store->Find(id, asker);
  if (!campaign) return campaign.error();
  return campaign->id;
}

Result<std::vector<CampaignBoard::OwnedCampaignLine>> CampaignBoard::LinesFor(
    const tune::CampaignAsker& asker) {
  std::vector<OwnedCampaignLine> lines;
  std::error_code ignored;
  if (!std::filesystem::exists(settings_.store, ignored)) return lines;
  auto store = tune::CampaignStore::Open(settings_.store, clock_, Database::Mode::kReadOnly);
  if (!store) return store.error();
  const auto campaigns = store->List(asker);
  if (!campaigns) return campaigns.error();
  const auto activity = store->Activity();
  if (!activity) return activity.error();
  const auto labels = store->Labels();
  if (!labels) return labels.error();
  for (const tune::StoredCampaign& campaign : *campaigns) {
    lines.push_back({tune::LineJson(campaign, StateOf(*store, campaign),
                                    OneOf(*activity, campaign.id), OneOf(*labels, campaign.id)),
                     campaign.start.submitter});
  }
  return lines;
}

Result<Json> CampaignBoard::List(const tune::CampaignAsker& asker) {
  auto lines = LinesFor(asker);
  if (!lines) return lines.error();
  Json list = Json::array();
  for (OwnedCampaignLine& one : *lines) list.push_back(std::move(one.line));
  return Json{{"campaigns", std::move(list)}};
}

Result<VersionedMap::Items> CampaignBoard::Lines() {
  {
    const std::lock_guard lock(mutex_);
    Hang();
  }
  const auto all = LinesFor({});
  if (!all) return all.error();
  VersionedMap::Items lines;
  for (const auto& [line, submitter] : *all) lines[line["id"]] = OwnedItem(line, submitter);
  return lines;
}

HttpResponse CampaignBoard::WatchList(const HttpRequest& request,
                                      const tune::CampaignAsker& asker) {
  const auto shown = std::make_shared<ShownItems>(
      [asker](const std::string& submitter) { return asker.Sees(submitter); });
  return lines_.Watch(request,
                      [shown](const VersionedMap::Changes& changes) { return shown->Of(changes); });
}

Result<tune::CampaignHistory> CampaignBoard::Load(const std::string& id) {
  auto store = tune::CampaignStore::Open(settings_.store, clock_, Database::Mode::kReadOnly);
  if (!store) return store.error();
  auto evaluations = EvaluationStore::Open(settings_.store);
  if (evaluations) return tune::LoadHistory(*store, *evaluations, id);
  if (evaluations.error().code != Errc::kNotFound) return evaluations.error();
  auto campaign = store->Find(id);  // Nothing of it was measured yet.
  if (!campaign) return campaign.error();
  return tune::CampaignHistory{std::move(*campaign), {}, {}};
}

Result<Json> CampaignBoard::Describe(const std::string& wanted) {
  const auto id = Resolve(wanted);
  if (!id) return id.error();
  const auto log = LogOf(*id);
  if (!log) return log.error();
  const auto end = std::chrono::steady_clock::now() + kDescribeTimeout;
  Result<bool> is_all = (*log)->Refresh(0);
  while (is_all && !*is_all && std::chrono::steady_clock::now() < end) is_all = (*log)->Refresh(0);
  if (!is_all) return is_all.error();
  const tune::CampaignHistory gist = (*log)->Gist();
  auto store = tune::CampaignStore::Open(settings_.store, clock_, Database::Mode::kReadOnly);
  if (!store) return store.error();
  const auto labels = store->Labels();
  if (!labels) return labels.error();
  Json json = tune::CampaignJson(gist, StateOf(*store, gist.campaign), OneOf(*labels, *id));
  const auto live = FindLive(*id);
  json["is_live"] = live != nullptr && live->control().State() != "done";
  json["is_read"] = *is_all;
  json["exports"] = settings_.forms ? Json(settings_.forms(gist)) : Json(Json::array());
  return json;
}

Result<std::shared_ptr<CampaignLog>> CampaignBoard::LogOf(const std::string& id) {
  const std::lock_guard lock(mutex_);
  Hang();
  if (auto known = logs_[id].lock()) return known;
  auto log = CampaignLog::Open(settings_.store, id, clock_);
  if (!log) {
    logs_.erase(id);
    return log.error();
  }
  logs_[id] = *log;
  kept_.push_back(*log);
  if (kept_.size() > kMaxKept) kept_.pop_front();
  return *log;
}

std::shared_ptr<LiveCampaign> CampaignBoard::Register(const std::string& id,
                                                      std::shared_ptr<CampaignControl> control) {
  auto live =
      std::make_shared<LiveCampaign>(id, clock_, std::move(control), [this] { wakes_.Call(); });
  const std::lock_guard lock(mutex_);
  Hang();
  live_[id] = live;
  lines_.Call();
  return live;
}

std::shared_ptr<LiveCampaign> CampaignBoard::FindLive(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(id);
  return found == live_.end() ? nullptr : found->second;
}

void CampaignBoard::Close() {
  wakes_.Close();
  lines_.Close();
}

}  // namespace hone::server
