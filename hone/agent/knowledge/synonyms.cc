// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/synonyms.h"

#include <algorithm>

#include "hone/agent/knowledge/words.h"
#include "hone/base/json/json.h"
#include "hone/core/check.h"
#include "hone/core/embedded_file.h"

HONE_EMBED(kHoneKnowledgeSynonyms, HONE_SYNONYMS_FILE)

namespace hone::agent {
namespace {

constexpr int kSynonymsVersion = 1;

std::vector<std::string> ReadTexts(JsonReader reader) {
  std::vector<std::string> texts;
  for (JsonReader& item : reader.Items()) {
    texts.push_back(item.String());
    if (StemsOf(texts.back()).empty()) item.Fail("expected a word");
  }
  if (texts.empty()) reader.Fail("expected at least one");
  return texts;
}

}  // namespace

Result<Synonyms> Synonyms::Read(const std::string& text, const std::string& what) {
  const auto json = ParseJson(text, what);
  if (!json) return json.error();
  JsonReader reader(*json, what);
  Synonyms synonyms;
  if (reader.At("format").String() != "hone-knowledge-synonyms") {
    reader.Fail("expected the format hone-knowledge-synonyms");
  }
  if (reader.At("format_version").Integer() != kSynonymsVersion) {
    reader.Fail("written for another version");
  }
  for (JsonReader& entry : reader.At("synonyms").Items()) {
    const std::vector<std::string> said = ReadTexts(entry.At("said"));
    std::vector<std::string> also;
    for (const std::string& word : ReadTexts(entry.At("also"))) {
      for (std::string& stem : StemsOf(word)) also.push_back(std::move(stem));
    }
    entry.RefuseOthers();
    for (const std::string& phrase : said) synonyms.entries_.push_back({StemsOf(phrase), also});
  }
  reader.RefuseOthers();
  if (auto finished = reader.Finish(); !finished) return finished.error();
  return synonyms;
}

const Synonyms& Synonyms::BuiltIn() {
  static const Synonyms synonyms = [] {
    auto read = Read(std::string(kHoneKnowledgeSynonyms()), "data/knowledge/synonyms.json");
    HONE_CHECK(read.has_value());  // A test reads it.
    return std::move(*read);
  }();
  return synonyms;
}

std::vector<Synonyms::Match> Synonyms::In(const std::vector<std::string>& question_stems) const {
  std::vector<Match> found;
  for (const Match& entry : entries_) {
    const auto at = std::search(question_stems.begin(), question_stems.end(), entry.phrase.begin(),
                                entry.phrase.end());
    if (at != question_stems.end()) found.push_back(entry);
  }
  return found;
}

}  // namespace hone::agent
