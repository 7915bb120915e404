// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/reason_json.h"

namespace hone::kconfig {
namespace {

std::string NameIn(const Tree& tree, SymbolId id) {
  return id == kNone ? std::string() : DisplayName(tree, id);
}

std::string_view NameOfClause(ClauseKind kind) {
  constexpr std::string_view kNames[] = {"wish", "kept", "undefined", "most", "least"};
  return kNames[static_cast<std::size_t>(kind)];
}

Json PlaceOf(const Tree& tree, Location where) {
  if (where.file == kNone) return nullptr;
  return tree.Show(where);
}

Json BlockersOf(const Tree& tree, const std::vector<Blocker>& blockers) {
  Json list = Json::array();
  for (const Blocker& blocker : blockers) {
    Json needs = Json::array();
    for (const Need& need : blocker.needs) {
      needs.push_back(
          {{"symbol", NameIn(tree, need.symbol)}, {"now", need.now}, {"needed", need.needed}});
    }
    list.push_back({{"clause", blocker.clause},
                    {"source", blocker.source},
                    {"where", PlaceOf(tree, blocker.where)},
                    {"needs", needs},
                    {"one_is_enough", blocker.is_any}});
  }
  return list;
}

Json QuestionOf(const Tree& tree, const Question& question) {
  Json json = {{"kind", NameOf(question.kind)},
               {"menu", question.menu},
               {"prompt", question.prompt},
               {"help", question.help},
               {"where", PlaceOf(tree, question.where)},
               {"depends_on", question.depends_on}};
  if (question.kind == QuestionKind::kMenu) json["inside"] = question.inside;
  if (question.symbol == kNone) return json;
  json["symbol"] = NameIn(tree, question.symbol);
  json["type"] = NameOf(question.type);
  json["value"] = question.value;
  json["default"] = question.default_value;
  json["assignable"] = question.assignable;
  json["selected_by"] = question.selected_by;
  json["is_set"] = question.is_set;
  if (!question.lowest.empty()) json["range"] = {question.lowest, question.highest};
  return json;
}

Json SolutionOf(const Tree& tree, const Solution& solution) {
  return {{"settings", ToJson(tree, solution.settings)},
          {"effects", ToJson(tree, solution.effects)}};
}

}  // namespace

Json ToJson(const Tree& tree, const std::vector<Change>& changes) {
  Json list = Json::array();
  for (const Change& change : changes) {
    list.push_back({{"symbol", NameIn(tree, change.symbol)},
                    {"before", change.before},
                    {"after", change.after}});
  }
  return list;
}

Json ToJson(const Tree& tree, const std::vector<RuleLine>& lines) {
  Json list = Json::array();
  for (const RuleLine& line : lines) {
    list.push_back({{"line", line.text},
                    {"symbol", NameIn(tree, line.symbol)},
                    {"where", PlaceOf(tree, line.where)},
                    {"gives", TextOf(line.level)}});
  }
  return list;
}

Json ToJson(const Tree& tree, const ValueReason& reason) {
  Json json = {{"symbol", NameIn(tree, reason.symbol)}, {"value", reason.value},
               {"cause", NameOf(reason.cause)},         {"sentence", reason.sentence},
               {"lines", ToJson(tree, reason.lines)},   {"visible", TextOf(reason.visible)},
               {"selected", TextOf(reason.selected)},   {"implied", TextOf(reason.implied)}};
  json["user"] = reason.user ? Json(*reason.user) : Json(nullptr);
  return json;
}

Json ToJson(const Tree& tree, const Possibility& possibility) {
  return {{"symbol", NameIn(tree, possibility.symbol)},
          {"wanted", possibility.wanted},
          {"is_possible", possibility.is_possible},
          {"sentence", possibility.sentence},
          {"blockers", BlockersOf(tree, possibility.blockers)}};
}

Json ToJson(const Tree& tree, const std::vector<Dependent>& dependents) {
  Json list = Json::array();
  for (const Dependent& dependent : dependents) {
    list.push_back({{"symbol", NameIn(tree, dependent.symbol)}, {"ways", dependent.ways}});
  }
  return list;
}

Json ToJson(const Tree& tree, const SolveAnswer& answer) {
  Json solutions = Json::array();
  for (const Solution& solution : answer.solutions) {
    solutions.push_back(SolutionOf(tree, solution));
  }
  Json conflict = Json::array();
  for (const Clause& clause : answer.conflict) {
    conflict.push_back({{"kind", NameOfClause(clause.kind)},
                        {"symbol", NameIn(tree, clause.symbol)},
                        {"where", PlaceOf(tree, clause.where)},
                        {"text", clause.text}});
  }
  Json commands = Json::array();
  for (const CommandResult& command : answer.commands) {
    commands.push_back({{"command", command.command},
                        {"result", command.result},
                        {"where", PlaceOf(tree, command.where)}});
  }
  return {{"is_possible", !answer.solutions.empty()},
          {"solutions", solutions},
          {"conflict", conflict},
          {"commands", commands}};
}

Json ToJson(const Tree& tree, const ActionsAnswer& answer) {
  Json verdicts = Json::array();
  for (const ActionVerdict& verdict : answer.verdicts) {
    Json json = {{"symbol", verdict.action.symbol}, {"value", verdict.action.value}};
    json["is_granted"] = verdict.refusal == Refusal::kNothing;
    if (verdict.refusal != Refusal::kNothing) {
      json["refusal"] = NameOf(verdict.refusal);
      json["message"] = verdict.message;
      json["near"] = verdict.near;
      json["blockers"] = BlockersOf(tree, verdict.blockers);
      json["conflicts"] = verdict.conflicts;
    }
    verdicts.push_back(std::move(json));
  }
  return {{"outcome", answer.is_accepted ? "accepted" : "rejected"},
          {"actions", verdicts},
          {"effects", ToJson(tree, answer.effects)}};
}

Json ToJson(const Tree& tree, const SearchHit& hit) {
  Json json = {{"symbol", NameIn(tree, hit.symbol)}, {"type", NameOf(tree.symbol(hit.symbol).type)},
               {"match", NameOf(hit.match)},         {"prompt", hit.prompt},
               {"menu_path", hit.menu_path},         {"help", hit.help},
               {"default", hit.default_value},       {"value", hit.value},
               {"depends_on", hit.depends_on},       {"where", PlaceOf(tree, hit.where)}};
  if (!hit.lowest.empty()) json["range"] = {hit.lowest, hit.highest};
  return json;
}

Json ToJson(const Tree& tree, const MenuPage& page) {
  Json questions = Json::array();
  for (const Question& question : page.questions) questions.push_back(QuestionOf(tree, question));
  return {
      {"menu", page.menu}, {"title", page.title}, {"path", page.path}, {"questions", questions}};
}

Json ToJson(const Tree& tree, const std::vector<QuestionGroup>& groups) {
  Json json = Json::array();
  for (const QuestionGroup& group : groups) {
    Json questions = Json::array();
    for (const Question& question : group.questions) {
      questions.push_back(QuestionOf(tree, question));
    }
    json.push_back({{"kind", NameOf(group.kind)}, {"questions", std::move(questions)}});
  }
  return json;
}

}  // namespace hone::kconfig
