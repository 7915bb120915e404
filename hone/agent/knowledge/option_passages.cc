// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/option_passages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hone/kconfig/reason/search.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::agent {
namespace {

using kconfig::kNone;
using kconfig::SymbolId;
using kconfig::Tree;

constexpr std::size_t kMaxExpression = 400;
constexpr std::size_t kMaxSelectors = 8;
constexpr std::size_t kMaxHelp = 8 << 10;

std::string SelectorsOf(const kconfig::TreeIndex& index, SymbolId id) {
  std::vector<std::string> names;
  const auto lines = index.SelectsOf(id);
  for (const kconfig::PropertyId line : lines) {
    if (names.size() == kMaxSelectors) break;
    const SymbolId by = index.tree().property(line).symbol;
    if (by != kNone) names.emplace_back(index.tree().symbol(by).name);
  }
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (lines.size() > names.size()) text += fmt::format(" and {} more", lines.size() - names.size());
  return text;
}

std::string FactsOf(const kconfig::TreeIndex& index, const kconfig::SearchHit& hit) {
  const Tree& tree = index.tree();
  std::string facts = fmt::format("type: {}\n", kconfig::NameOf(tree.symbol(hit.symbol).type));
  const auto add = [&](std::string_view what, const std::string& text) {
    if (!text.empty()) facts += fmt::format("{}: {}\n", what, CleanText(text, kMaxExpression));
  };
  add("menu", fmt::format("{}", fmt::join(hit.menu_path, " > ")));
  add("depends on", hit.depends_on);
  add("default", hit.default_value);
  if (!hit.lowest.empty()) add("range", hit.lowest + " to " + hit.highest);
  add("selected by", SelectorsOf(index, hit.symbol));
  return facts;
}

// Those that a person can set and that say what they are for are asked after.
double WeightOfOption(const kconfig::SearchHit& hit) {
  if (hit.prompt.empty()) return 0.35;
  return hit.help.empty() ? 0.6 : 1.0;
}

}  // namespace

std::vector<Passage> OptionPassages(const kconfig::TreeIndex& index) {
  const Tree& tree = index.tree();
  const kconfig::Configuration defaults(index.shared_tree());
  std::vector<Passage> passages;
  for (SymbolId id = 0; id < tree.symbols().size(); ++id) {
    if (!index.IsDefined(id) || tree.symbol(id).name.empty()) continue;
    const kconfig::SearchHit hit = kconfig::DescribeSymbol(defaults, id);
    Passage passage;
    passage.kind = PassageKind::kOption;
    passage.names = {CleanText(tree.symbol(id).name, 200)};
    passage.title = CleanText(hit.prompt, 400);
    passage.text = CleanText(hit.help, kMaxHelp);
    passage.facts = FactsOf(index, hit);
    if (!hit.menu_path.empty()) passage.topics = CleanText(hit.menu_path.back(), 200);
    passage.source = CleanText(tree.Show(hit.where), 400);
    passage.weight = WeightOfOption(hit);
    passages.push_back(std::move(passage));
  }
  return passages;
}

}  // namespace hone::agent
