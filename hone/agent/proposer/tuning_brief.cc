// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/tuning_brief.h"

#include <utility>

#include "hone/base/json/json.h"

namespace hone::agent {

std::string BriefText(const TuningBrief& brief) {
  Json notes = Json::object();
  for (const auto& [name, note] : brief.notes) {
    notes[name] = {{"risk", note.risk}, {"caution", note.caution}, {"known", note.known}};
  }
  return Dump({{"goal", brief.goal},
               {"machine", brief.machine},
               {"notes", std::move(notes)},
               {"remarks", brief.remarks}});
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
  if (reader.Has("remarks")) {
    for (JsonReader& remark : reader.At("remarks").Items()) {
      brief.remarks.push_back(remark.String());
    }
  }
  reader.RefuseOthers();
  if (auto read = reader.Finish(); !read) return read.error();
  return brief;
}

}  // namespace hone::agent
