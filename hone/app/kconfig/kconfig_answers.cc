// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kconfig/kconfig_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "hone/kconfig/reason/explain.h"
#include "hone/kconfig/reason/family.h"
#include "hone/kconfig/reason/reason_json.h"
#include "hone/kconfig/reason/reason_text.h"

namespace hone::app {
namespace {

using kconfig::SymbolId;
using kconfig::Tree;
using kconfig::TreeIndex;

constexpr std::size_t kMaxLines = 20;

}  // namespace

Json ExplainJson(const Ground& ground, SymbolId id) {
  const Tree& tree = ground.tree();
  const TreeIndex& index = *ground.index;
  return {{"value", ToJson(tree, WhyValue(index, ground.configuration, id))},
          {"selected_by", ToJson(tree, WhoSelects(index, ground.configuration, id))},
          {"implied_by", ToJson(tree, WhoImplies(index, ground.configuration, id))},
          {"dependents", ToJson(tree, WhatDependsOn(index, id))}};
}

std::string ExplainText(const Ground& ground, SymbolId id) {
  const Tree& tree = ground.tree();
  const TreeIndex& index = *ground.index;
  std::string text = ToText(tree, WhyValue(index, ground.configuration, id));
  const auto selects = WhoSelects(index, ground.configuration, id);
  if (!selects.empty()) text += "selected by (what it gives now first):\n";
  text += ToText(tree, selects, kMaxLines);
  const auto implies = WhoImplies(index, ground.configuration, id);
  if (!implies.empty()) text += "implied by:\n";
  text += ToText(tree, implies, kMaxLines);
  const auto dependents = WhatDependsOn(index, id);
  if (!dependents.empty()) text += fmt::format("{} depend on it:\n", dependents.size());
  return text + ToText(tree, dependents, kMaxLines);
}

Result<FamilyMove> FamilyMoveOf(const Ground& ground, const kconfig::Solver& solver,
                                const kconfig::SolveRequest& request,
                                const kconfig::SolveAnswer& answer) {
  FamilyMove move;
  if (answer.solutions.empty()) return move;
  move.changes = kconfig::FamilyChanges(ground.tree(), answer.solutions.front());
  if (move.changes.empty()) return move;
  auto nearest = kconfig::NearestInFamily(solver, ground.configuration, request);
  if (!nearest) return nearest.error();
  move.nearest = std::move(*nearest);
  return move;
}

std::string SolveText(const Ground& ground, const kconfig::SolveAnswer& answer,
                      const FamilyMove& move) {
  std::string text = ToText(ground.configuration, answer);
  if (move.changes.empty()) return text;
  std::vector<std::string> shown;
  std::string kept;
  for (const kconfig::Change& change : move.changes) {
    const std::string_view name = ground.tree().symbol(change.symbol).name;
    shown.push_back(fmt::format("{} {} -> {}", name, change.before, change.after));
    if (change.before == "y") kept += fmt::format(" --keep {}", name);
  }
  text = fmt::format("This changes the board or processor family: {}.\n{}", fmt::join(shown, ", "),
                     text);
  if (!move.nearest) return text + "There is no answer that keeps it.\n";
  kconfig::SolveAnswer nearest;
  nearest.solutions.push_back(*move.nearest);
  return text + fmt::format("The nearest that keeps it ({}):\n{}", kept.substr(1),
                            ToText(ground.configuration, nearest));
}

Json SolveJson(const Ground& ground, const kconfig::SolveAnswer& answer, const FamilyMove& move) {
  Json json = ToJson(ground.tree(), answer);
  json["family_changes"] = ToJson(ground.tree(), move.changes);
  if (move.nearest) {
    json["nearest_in_family"] = {{"settings", ToJson(ground.tree(), move.nearest->settings)},
                                 {"effects", ToJson(ground.tree(), move.nearest->effects)}};
  }
  return json;
}

}  // namespace hone::app
