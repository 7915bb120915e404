// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/question_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hone/base/sha256.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMaxItems = 1000;

std::vector<std::string> ReadTexts(JsonReader reader) {
  std::vector<std::string> texts;
  for (JsonReader& item : reader.Items()) texts.push_back(item.String());
  return texts;
}

std::string TextIn(JsonReader& reader, std::string_view key) {
  return reader.Has(key) ? reader.At(key).String() : std::string();
}

QuestionItem ReadQuestionItem(JsonReader reader) {
  QuestionItem item;
  item.key = reader.At("key").String();
  item.prompt = reader.At("prompt").String();
  item.value = TextIn(reader, "value");
  if (reader.Has("allowed")) item.allowed = ReadTexts(reader.At("allowed"));
  item.lowest = TextIn(reader, "lowest");
  item.highest = TextIn(reader, "highest");
  reader.RefuseOthers();
  return item;
}

LabelSource ReadSource(JsonReader reader) {
  LabelSource source;
  JsonReader origin = reader.At("origin");
  if (const auto named = LabelOriginNamed(origin.String())) {
    source.origin = *named;
  } else {
    origin.Fail(named.error().message);
  }
  source.reference = TextIn(reader, "reference");
  source.evidence = TextIn(reader, "evidence");
  reader.RefuseOthers();
  return source;
}

ItemLabel ReadItemLabel(JsonReader reader) {
  ItemLabel label;
  label.key = reader.At("key").String();
  JsonReader right = reader.At("right");
  if (const auto named = RightMoveNamed(right.String())) {
    label.right = *named;
  } else {
    right.Fail(named.error().message);
  }
  if (reader.Has("accepted")) {
    for (JsonReader& entry : reader.At("accepted").Items()) {
      label.accepted.push_back({entry.At("value").String(), entry.At("credit").Number()});
      entry.RefuseOthers();
    }
  }
  if (reader.Has("weight")) label.weight = reader.At("weight").Number();
  label.source = ReadSource(reader.At("source"));
  reader.RefuseOthers();
  return label;
}

Json ToJson(const ItemLabel& label) {
  Json json = {{"key", label.key},
               {"right", NameOf(label.right)},
               {"weight", label.weight},
               {"source",
                {{"origin", NameOf(label.source.origin)},
                 {"reference", label.source.reference},
                 {"evidence", label.source.evidence}}}};
  for (const AcceptedValue& accepted : label.accepted) {
    json["accepted"].push_back({{"value", accepted.value}, {"credit", accepted.credit}});
  }
  return json;
}

Result<void> CheckRow(const QuestionRow& row, const std::string& what) {
  std::set<std::string_view> keys;
  for (const QuestionItem& item : row.question.items) {
    if (keys.insert(item.key).second) continue;
    return Error{Errc::kCorrupt, fmt::format("{}: item {:.80} is there twice", what, item.key)};
  }
  if (row.question.items.empty() || row.question.items.size() > kMaxItems) {
    return Error{Errc::kCorrupt, fmt::format("{}: expected 1 to {} items, found {}", what,
                                             kMaxItems, row.question.items.size())};
  }
  if (!row.label) return {};
  if (auto checked = CheckLabel(row.question, *row.label); !checked) {
    return Error{Errc::kCorrupt, fmt::format("{}: {}", what, checked.error().message)};
  }
  return {};
}

}  // namespace

std::string IdOf(const QuestionRow& row) {
  Sha256 sum;
  sum.AddText(row.goal);
  sum.AddText(NameOf(row.question.kind));
  sum.AddText(row.question.title);
  for (const QuestionItem& item : row.question.items) sum.AddText(item.key);
  return "q" + HexOf(sum.Take());
}

Json ToJson(const Label& label) {
  Json items = Json::array();
  for (const ItemLabel& item : label.items) items.push_back(ToJson(item));
  return items;
}

Json ToJson(const QuestionRow& row) {
  Json json = {{"id", row.id},     {"goal", row.goal},   {"tree", row.tree},
               {"path", row.path}, {"split", row.split}, {"question", ToJson(row.question)}};
  if (row.label) json["label"] = ToJson(*row.label);
  return json;
}

Question ReadQuestion(JsonReader reader) {
  Question question;
  JsonReader kind = reader.At("kind");
  if (const auto named = QuestionKindNamed(kind.String())) {
    question.kind = *named;
  } else {
    kind.Fail(named.error().message);
  }
  question.title = reader.At("title").String();
  for (JsonReader& item : reader.At("items").Items()) {
    question.items.push_back(ReadQuestionItem(item));
  }
  reader.RefuseOthers();
  return question;
}

Label ReadLabel(JsonReader reader) {
  Label label;
  for (JsonReader& item : reader.Items()) label.items.push_back(ReadItemLabel(item));
  return label;
}

Result<QuestionRow> ParseQuestionRow(std::string_view line, const std::string& what) {
  const auto json = ParseJson(line, what);
  if (!json) return json.error();
  JsonReader reader(*json, what);
  QuestionRow row;
  row.id = reader.At("id").String();
  row.goal = reader.At("goal").String();
  row.tree = TextIn(reader, "tree");
  if (reader.Has("path")) row.path = ReadTexts(reader.At("path"));
  row.split = TextIn(reader, "split");
  row.question = ReadQuestion(reader.At("question"));
  if (reader.Has("label")) row.label = ReadLabel(reader.At("label"));
  reader.RefuseOthers();
  if (auto finished = reader.Finish(); !finished) return finished.error();
  if (auto checked = CheckRow(row, what); !checked) return checked.error();
  return row;
}

namespace {

// Calls `take(line, "what:7")` for each line that is not empty, until it fails.
template <typename Take>
Result<void> ForEachLine(std::string_view text, const std::string& what, Take take) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    if (auto taken = take(line, fmt::format("{}:{}", what, number)); !taken) return taken;
  }
  return {};
}

}  // namespace

Result<std::vector<QuestionRow>> ParseQuestionSet(std::string_view text, const std::string& what) {
  std::vector<QuestionRow> rows;
  auto read = ForEachLine(text, what, [&](std::string_view line, const std::string& place) {
    auto row = ParseQuestionRow(line, place);
    if (!row) return Result<void>(row.error());
    rows.push_back(std::move(*row));
    return Result<void>();
  });
  if (!read) return read.error();
  return rows;
}

Result<std::vector<Json>> ParseJsonLines(std::string_view text, const std::string& what) {
  std::vector<Json> documents;
  auto read = ForEachLine(text, what, [&](std::string_view line, const std::string& place) {
    auto json = ParseJson(line, place);
    if (!json) return Result<void>(json.error());
    documents.push_back(std::move(*json));
    return Result<void>();
  });
  if (!read) return read.error();
  return documents;
}

std::string JsonLines(const std::vector<Json>& documents) {
  std::string text;
  for (const Json& document : documents) text += Dump(document) + "\n";
  return text;
}

}  // namespace hone::agent
