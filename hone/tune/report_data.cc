// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/report_data.h"

#include <utility>

#include "hone/base/json.h"
#include "hone/tune/campaign_json.h"
#include "hone/tune/campaign_walk.h"

namespace hone {
namespace {

// How much is told of each comparison.
enum class Detail { kAll, kNoRuns, kNoSearch };

Json EventJson(const CampaignHistory& history, const Happening& happening) {
  const CampaignStart& start = history.campaign.start;
  switch (happening.kind) {
    case Happening::Kind::kBlock:
      return {{"kind", "block"}, {"data", BlockJson(start, *happening.block)}};
    case Happening::Kind::kTrial:
      return {{"kind", "trial"}, {"data", TrialJson(start, *happening.trial, happening.at)}};
    case Happening::Kind::kVerdict:
      return {{"kind", "verdict"},
              {"data", VerdictJson(history.campaign.start.spec, *history.campaign.verdict)}};
  }
  return nullptr;
}

Json EventsOf(const CampaignHistory& history) {
  CampaignWalk walk(history.campaign.start.spec.rule);
  for (const HistoryBlock& block : history.blocks) walk.Add(block);
  for (const StoredDecision& decision : history.decisions) walk.Add(decision);
  if (history.campaign.verdict) walk.Finish();
  Json events = Json::array();
  walk.Tell([&](const Happening& happening) { events.push_back(EventJson(history, happening)); });
  return events;
}

void Reduce(Json& events, Detail detail) {
  Json kept = Json::array();
  for (Json& event : events) {
    if (event["kind"] == "block") {
      if (detail == Detail::kNoSearch && event["data"]["phase"] == "trial") continue;
      if (detail != Detail::kAll) event["data"]["pairs"]["metrics"] = Json::object();
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

std::string PlotsText(const CampaignHistory& history, std::size_t most_bytes) {
  Json campaign =
      CampaignJson(history, history.campaign.state == CampaignState::kDone ? "done" : "stopped");
  campaign["is_live"] = false;
  campaign["exports"] = Json::array();
  Json document{{"campaign", std::move(campaign)}, {"events", EventsOf(history)}};
  for (const Detail detail : {Detail::kAll, Detail::kNoRuns, Detail::kNoSearch}) {
    Reduce(document["events"], detail);
    std::string text = WithoutTags(Dump(document));
    if (text.size() <= most_bytes) return text;
  }
  return "";
}

}  // namespace hone
