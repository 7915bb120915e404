// SPDX-License-Identifier: Apache-2.0
#include "hone/report/report_data.h"

#include <utility>

#include "hone/base/json/json.h"
#include "hone/tune/campaign/campaign_json.h"
#include "hone/tune/campaign/event_sequencer.h"

namespace hone::report {
namespace {

// How much is told of each comparison.
enum class Detail { kAll, kNoRuns, kNoSearch };

Json EventJson(const tune::CampaignHistory& history, const tune::CampaignEvent& event) {
  const tune::CampaignStart& start = history.campaign.start;
  switch (event.kind) {
    case tune::CampaignEvent::Kind::kBlock:
      return {{"kind", "block"}, {"data", tune::BlockJson(start, *event.block)}};
    case tune::CampaignEvent::Kind::kTrial:
      return {{"kind", "trial"},
              {"data", tune::TrialJson(start, *event.trial, event.at, event.best)}};
    case tune::CampaignEvent::Kind::kVerdict:
      return {{"kind", "verdict"},
              {"data", tune::VerdictJson(history.campaign.start.spec, *history.campaign.verdict)}};
  }
  return nullptr;
}

Json EventsOf(const tune::CampaignHistory& history) {
  tune::EventSequencer walk(history.campaign.start.spec.rule);
  for (const tune::HistoryBlock& block : history.blocks) walk.Add(block);
  for (const tune::StoredDecision& decision : history.decisions) walk.Add(decision);
  if (history.campaign.verdict) walk.Finish();
  Json events = Json::array();
  walk.Emit([&](const tune::CampaignEvent& event) { events.push_back(EventJson(history, event)); });
  return events;
}

void Reduce(Json& events, Detail detail) {
  Json kept = Json::array();
  for (Json& event : events) {
    if (event["kind"] == "block") {
      if (detail == Detail::kNoSearch && event["data"]["phase"] == "trial") continue;
      if (detail != Detail::kAll) {
        event["data"]["pairs"]["metrics"] = Json::object();
        event["data"]["pairs"]["pressure"] = Json::object();
      }
    }
    kept.push_back(std::move(event));
  }
  events = std::move(kept);
}

// JSON may write "<" so, and HTML then sees no tag.
std::string WithoutTags(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string PlotsText(const tune::CampaignHistory& history, std::size_t max_bytes) {
  Json campaign = tune::CampaignJson(
      history, history.campaign.state == tune::CampaignState::kDone ? "done" : "stopped");
  campaign["is_live"] = false;
  campaign["exports"] = Json::array();
  Json document{{"campaign", std::move(campaign)}, {"events", EventsOf(history)}};
  for (const Detail detail : {Detail::kAll, Detail::kNoRuns, Detail::kNoSearch}) {
    Reduce(document["events"], detail);
    std::string text = WithoutTags(Dump(document));
    if (text.size() <= max_bytes) return text;
  }
  return "";
}

}  // namespace hone::report
