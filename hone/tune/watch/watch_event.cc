// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/watch/watch_event.h"

#include <algorithm>
#include <array>

#include "hone/base/json/records.h"
#include "hone/tune/campaign/statistics_json.h"

namespace hone::tune {
namespace {

constexpr std::array<std::string_view, 14> kNames{
    "start",    "run",   "level",    "adopted",    "dropped", "harm",    "proven",
    "reverted", "shift", "strained", "suspicious", "failed",  "resting", "end"};

WatchEvent::Kind ReadEventKind(JsonReader reader) {
  const std::string name = reader.String();
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    reader.Fail("no such kind of event");
    return {};
  }
  return static_cast<WatchEvent::Kind>(found - kNames.begin());
}

WatchGain ReadGain(JsonReader reader) {
  WatchGain gain;
  gain.effect = reader.At("effect").Number();
  gain.interval = ReadInterval(reader.At("interval"));
  gain.pairs = reader.At("pairs").Integer();
  reader.RefuseOthers();
  return gain;
}

}  // namespace

std::string_view NameOf(WatchEvent::Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

Json ToJson(const WatchEvent& event) {
  Json json{{"kind", NameOf(event.kind)},
            {"round", event.round},
            {"time_us", ToMicroseconds(event.time)},
            {"what", event.what},
            {"reason", event.reason},
            {"candidate", ToJson(event.candidate)},
            {"in_force", ToJson(event.in_force)},
            {"metrics", event.metrics}};
  if (event.gain) {
    json["gain"] = {{"effect", event.gain->effect},
                    {"interval", ToJson(event.gain->interval)},
                    {"pairs", event.gain->pairs}};
  }
  return json;
}

Result<WatchEvent> ReadWatchEvent(const Json& json, const std::string& what) {
  JsonReader reader(json, what);
  WatchEvent event;
  event.kind = ReadEventKind(reader.At("kind"));
  event.round = reader.At("round").Integer();
  event.time = FromMicroseconds(reader.At("time_us").Integer());
  event.what = reader.At("what").String();
  event.reason = reader.At("reason").String();
  event.candidate = ReadCandidate(reader.At("candidate"));
  event.in_force = ReadCandidate(reader.At("in_force"));
  for (auto& [name, value] : reader.At("metrics").Members()) event.metrics[name] = value.Number();
  if (reader.Has("gain")) event.gain = ReadGain(reader.At("gain"));
  reader.RefuseOthers();
  if (auto done = reader.Finish(); !done) return done.error();
  return event;
}

}  // namespace hone::tune
