// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/tuning_brief.h"

#include <utility>

#include "hone/base/json/json.h"

namespace hone::agent {

std::string BriefText(const TuningBrief& brief) {
  Json notes = Json::object();
  for (const auto& [name, note] : brief.notes) {
    notes[name] = {{"risk", note.risk}, {"caution", note.caution}};
  }
  return Dump({{"goal", brief.goal}, {"machine", brief.machine}, {"notes", std::move(notes)}});
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
    note.RefuseOthers();
  }
  reader.RefuseOthers();
  if (auto read = reader.Finish(); !read) return read.error();
  return brief;
}

}  // namespace hone::agent
