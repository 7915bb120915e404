// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/tuning_brief.h"

#include <utility>

#include "hone/base/json/json.h"

namespace hone::agent {
namespace {

// None where the member is missing.
std::vector<std::string> TextsIn(JsonReader& reader, const char* member) {
  std::vector<std::string> texts;
  if (!reader.Has(member)) return texts;
  for (JsonReader& text : reader.At(member).Items()) texts.push_back(text.String());
  return texts;
}

}  // namespace

std::string BriefText(const TuningBrief& brief) {
  Json notes = Json::object();
  for (const auto& [name, note] : brief.notes) {
    notes[name] = {{"risk", note.risk}, {"caution", note.caution}, {"known", note.known}};
  }
  Json json{{"goal", brief.goal},
            {"machine", brief.machine},
            {"notes", std::move(notes)},
            {"remarks", brief.remarks}};
  if (!brief.objectives.empty()) json["objectives"] = brief.objectives;
  if (!brief.limits.empty()) json["limits"] = brief.limits;
  if (!brief.earlier.empty()) {
    json["earlier"] = brief.earlier;
    json["earlier_cut"] = brief.earlier_cut;
  }
  if (!brief.forbidden.empty()) json["forbidden"] = brief.forbidden;
  return Dump(json);
}

Result<TuningBrief> ReadTuningBrief(const std::string& text) {
  const auto json = ParseJson(text, "option brief");
  if (!json) return json.error();
  JsonReader reader(*json, "option brief");
  TuningBrief brief;
  brief.goal = reader.At("goal").String();
  for (auto& [name, value] : reader.At("machine").Members()) brief.machine[name] = value.String();
  for (auto& [name, note] : reader.At("notes").Members()) {
    brief.notes[name] = {.risk = note.At("risk").String(), .caution = note.At("caution").String()};
    if (note.Has("known")) brief.notes[name].known = note.At("known").String();
    note.RefuseOthers();
  }
  brief.remarks = TextsIn(reader, "remarks");
  brief.objectives = TextsIn(reader, "objectives");
  brief.limits = TextsIn(reader, "limits");
  brief.earlier = TextsIn(reader, "earlier");
  if (reader.Has("earlier_cut")) brief.earlier_cut = reader.At("earlier_cut").Integer();
  if (reader.Has("forbidden")) {
    for (auto& [name, why] : reader.At("forbidden").Members()) {
      brief.forbidden[name] = why.String();
    }
  }
  reader.RefuseOthers();
  if (auto read = reader.Finish(); !read) return read.error();
  return brief;
}

}  // namespace hone::agent
