// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/knowledge_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hone/agent/chat/plain_text.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMaxPassagesOfName = 16;
constexpr std::size_t kMaxNearNames = 8;
constexpr std::size_t kMaxTextOfHit = 900;
constexpr std::size_t kMaxTextOfPassage = 2'400;
constexpr std::size_t kMaxEffects = 100;

std::string HeadOf(const Passage& passage) {
  std::string head = fmt::format("[{}] ", NameOf(passage.kind));
  // A campaign names all that it searched: its title says which it is.
  if (!passage.names.empty() && passage.kind != PassageKind::kMeasured) {
    head += fmt::format("{}", fmt::join(passage.names, ", "));
    if (!passage.title.empty()) head += ": ";
  }
  return head + passage.title;
}

std::string TextOfPassage(const Passage& passage, std::size_t max) {
  std::string text = HeadOf(passage) + "\nsource: " + passage.source + "\n" + passage.facts;
  if (!passage.text.empty()) text += MarkedLines(CutText(passage.text, max));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text + "\n";
}

}  // namespace

Result<NameAnswer> ExplainName(KnowledgeBase& base, const std::vector<MeasuredEffect>& effects,
                               std::string_view name) {
  NameAnswer answer;
  answer.name = BareName(name);
  auto passages = base.Named(answer.name, kMaxPassagesOfName);
  if (!passages) return passages.error();
  answer.passages = std::move(*passages);
  answer.effects = EffectsOf(effects, answer.name);
  if (!answer.passages.empty() || !answer.effects.empty()) return answer;
  auto near = base.NamesLike(answer.name, kMaxNearNames);
  if (!near) return near.error();
  answer.near = std::move(*near);
  return answer;
}

Json ToJson(const Passage& passage) {
  return {{"kind", NameOf(passage.kind)}, {"names", passage.names}, {"title", passage.title},
          {"text", passage.text},         {"facts", passage.facts}, {"source", passage.source}};
}

Json ToJson(const KnowledgeHit& hit) {
  Json json = ToJson(hit.passage);
  json["score"] = hit.score;
  json["also"] = hit.also;
  return json;
}

Json ToJson(const NameAnswer& answer) {
  Json passages = Json::array();
  for (const Passage& passage : answer.passages) passages.push_back(ToJson(passage));
  Json effects = Json::array();
  for (const MeasuredEffect& effect : answer.effects) effects.push_back(ToJson(effect));
  return {{"name", answer.name},
          {"passages", std::move(passages)},
          {"effects", std::move(effects)},
          {"near", answer.near}};
}

std::string ToText(const std::vector<KnowledgeHit>& hits, std::string_view question) {
  if (hits.empty()) {
    return fmt::format(
        "Nothing is known about \"{}\". Try other words, or the name of an option.\n",
        CleanText(question, 200));
  }
  std::string text;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    text += fmt::format("{}. {}", i + 1, TextOfPassage(hits[i].passage, kMaxTextOfHit));
    if (!hits[i].also.empty()) text += fmt::format("also: {}\n", fmt::join(hits[i].also, ", "));
    text += "\n";
  }
  return text;
}

std::string ToText(const NameAnswer& answer) {
  if (answer.passages.empty() && answer.effects.empty()) {
    std::string text = fmt::format("Nothing is known of {}.", CleanText(answer.name, 200));
    if (!answer.near.empty()) {
      text += fmt::format(" There are: {}.", fmt::join(answer.near, ", "));
    }
    return text + "\n";
  }
  std::string text;
  if (!answer.effects.empty()) {
    text += "Measured on this machine:\n" + ToText(answer.effects, answer.name) + "\n";
  }
  for (const Passage& passage : answer.passages) {
    text += TextOfPassage(passage, kMaxTextOfPassage) + "\n";
  }
  return text;
}

std::string ToText(const std::vector<MeasuredEffect>& effects, std::string_view name) {
  if (effects.empty()) {
    const std::string of = name.empty() ? "" : fmt::format(" of {}", CleanText(name, 200));
    return fmt::format("No campaign on this machine has measured an effect{}.\n", of);
  }
  std::string text;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (i == kMaxEffects) {
      return text + fmt::format("… and {} more\n", effects.size() - i);
    }
    text += ToText(effects[i]) + (effects[i].IsShown() ? "\n" : ": may be nothing\n");
  }
  return text;
}

}  // namespace hone::agent
