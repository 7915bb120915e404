// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/queue/queue_records.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "hone/base/json/records.h"

namespace hone {
namespace {

constexpr std::array<std::pair<Dropped, std::string_view>, 3> kDropped{
    {{Dropped::kCancelled, "cancelled"},
     {Dropped::kExpired, "expired"},
     {Dropped::kAbandoned, "abandoned"}}};

}  // namespace

Json ToJson(const WorkerCard& card) {
  Json facts = Json::object();
  for (const auto& [name, value] : card.facts) facts[name] = value;
  return {{"name", card.name},
          {"host", card.host},
          {"version", card.version},
          {"has", ToJson(card.has)},
          {"serves", card.serves},
          {"since_us", ToMicroseconds(card.since)},
          {"seen_us", ToMicroseconds(card.seen)},
          {"facts", std::move(facts)}};
}

Result<WorkerCard> ParseWorkerCard(std::string_view text) {
  const Result<Json> json = ParseJson(text, "worker card");
  if (!json) return json.error();
  JsonReader reader(*json, "worker card");
  WorkerCard card{reader.At("name").String(),
                  reader.At("host").String(),
                  reader.At("version").String(),
                  ReadCapabilities(reader.At("has")),
                  FromMicroseconds(reader.At("since_us").Integer()),
                  FromMicroseconds(reader.At("seen_us").Integer()),
                  {}};
  for (auto& [name, value] : reader.At("facts").Members()) card.facts[name] = value.String();
  if (reader.Has("serves")) {  // A card of an older build does not say.
    card.serves.clear();
    for (JsonReader& owner : reader.At("serves").Items()) card.serves.insert(owner.String());
  }
  if (auto read = reader.Finish(); !read) return read.error();
  return card;
}

std::string_view NameOf(Dropped why) {
  for (const auto& [dropped, name] : kDropped) {
    if (dropped == why) return name;
  }
  return "unknown";
}

std::optional<Dropped> DroppedNamed(std::string_view name) {
  for (const auto& [dropped, known] : kDropped) {
    if (known == name) return dropped;
  }
  return std::nullopt;
}

Result<std::string> StorableText(const Json& json, const TaskId& task) {
  std::string text = Dump(json);
  if (text.size() <= JsonLimits{}.bytes) return text;
  return Error{Errc::kInvalidArgument,
               fmt::format("task {}: {} bytes are too many to store; {} fit", task, text.size(),
                           JsonLimits{}.bytes)};
}

}  // namespace hone
