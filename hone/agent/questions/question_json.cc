// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/questions/question_json.h"

namespace hone::agent {
namespace {

Json ToJson(const QuestionItem& item) {
  Json json = {{"key", item.key}, {"prompt", item.prompt}};
  if (!item.value.empty()) json["value"] = item.value;
  if (!item.allowed.empty()) json["allowed"] = item.allowed;
  if (!item.lowest.empty()) json["lowest"] = item.lowest;
  if (!item.highest.empty()) json["highest"] = item.highest;
  return json;
}

}  // namespace

Json ToJson(const Question& question) {
  Json items = Json::array();
  for (const QuestionItem& item : question.items) items.push_back(ToJson(item));
  return {{"kind", NameOf(question.kind)}, {"title", question.title}, {"items", items}};
}

}  // namespace hone::agent
