// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "hone/base/sha256.h"
#include "hone/kconfig/reason/walk.h"

namespace hone::kconfig {
namespace {

constexpr std::string_view kSchema =
    "CREATE VIRTUAL TABLE options USING fts5(name, prompt, help, tokenize='porter unicode61');"
    "CREATE TABLE complete(yes INTEGER)";

std::string UpperQuery(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

// "numa balancing" as FTS5 wants it: each word quoted, its beginning enough.
std::string MatchText(std::string_view query, std::string_view joint) {
  std::string expression;
  std::string word;
  const auto finish = [&] {
    if (word.empty()) return;
    if (!expression.empty()) expression += joint;
    expression += '"' + word + "\"*";
    word.clear();
  };
  for (const char c : query) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || byte >= 0x80 || c == '_') {
      word += c;
    } else {
      finish();
    }
  }
  finish();
  return expression;
}

MenuId FirstPrompted(const Tree& tree, SymbolId id) {
  const MenuId first = tree.symbol(id).first_menu;
  for (MenuId at = first; at != kNone; at = tree.menu(at).next_definition) {
    if (tree.menu(at).prompt != kNone) return at;
  }
  return first;
}

std::string HelpOf(const Tree& tree, SymbolId id) {
  std::string help;
  for (MenuId at = tree.symbol(id).first_menu; at != kNone; at = tree.menu(at).next_definition) {
    if (!tree.menu(at).raw_help.empty()) help += tree.Help(at);
  }
  return help;
}

std::string PromptOf(const Tree& tree, SymbolId id) {
  const MenuId menu = FirstPrompted(tree, id);
  if (menu == kNone || tree.menu(menu).prompt == kNone) return {};
  return std::string(tree.property(tree.menu(menu).prompt).text);
}

using Matches = std::vector<std::pair<MatchKind, SymbolId>>;

// The symbol of that name ("numa balancing" is NUMA_BALANCING), and those whose name begins with
// it, the shortest first.
Matches MatchNames(const Tree& tree, std::string_view query) {
  std::string name = UpperQuery(query);
  std::replace(name.begin(), name.end(), ' ', '_');
  const std::string prefix = UpperQuery(tree.dialect().prefix);
  if (name.size() > prefix.size() && name.starts_with(prefix)) name.erase(0, prefix.size());
  Matches found;
  std::vector<std::pair<std::string, SymbolId>> longer;
  for (SymbolId id = 0; id < tree.symbols().size() && !name.empty(); ++id) {
    if (tree.RankOf(id) == kNone || tree.symbol(id).name.empty()) continue;
    std::string upper = UpperQuery(tree.symbol(id).name);
    if (upper == name) {
      found.emplace_back(MatchKind::kName, id);
    } else if (upper.starts_with(name)) {
      longer.emplace_back(std::move(upper), id);
    }
  }
  std::sort(longer.begin(), longer.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.size(), a.first) < std::pair(b.first.size(), b.first);
  });
  for (const auto& entry : longer) found.emplace_back(MatchKind::kNamePrefix, entry.second);
  return found;
}

// SHA-256 over all that is indexed.
std::string IdentityOf(const Tree& tree) {
  Sha256 sum;
  sum.AddText("3");  // Of the schema and what is indexed; a change of either raises it.
  for (SymbolId id = 0; id < tree.symbols().size(); ++id) {
    if (tree.RankOf(id) == kNone) continue;
    sum.AddText(std::to_string(id));
    sum.AddText(tree.symbol(id).name);
    sum.AddText(PromptOf(tree, id));
    for (MenuId at = tree.symbol(id).first_menu; at != kNone; at = tree.menu(at).next_definition) {
      sum.AddText(tree.menu(at).raw_help);
    }
  }
  return HexOf(sum.Take());
}

}  // namespace

std::string_view NameOf(MatchKind kind) {
  constexpr std::string_view kNames[] = {"name", "name_prefix", "words"};
  return kNames[static_cast<std::size_t>(kind)];
}

OptionIndex::OptionIndex(std::shared_ptr<const TreeIndex> tree, Database database)
    : tree_(std::move(tree)), database_(std::move(database)) {}

Result<OptionIndex> OptionIndex::Make(std::shared_ptr<const TreeIndex> tree) {
  auto database = Database::OpenInMemory();
  if (!database) return database.error();
  OptionIndex index(std::move(tree), std::move(*database));
  if (auto filled = index.Fill(); !filled) return filled.error();
  return index;
}

Result<OptionIndex> OptionIndex::Open(std::shared_ptr<const TreeIndex> tree,
                                      const std::filesystem::path& folder) {
  const auto path = folder / fmt::format("options-{}.sqlite", IdentityOf(tree->tree()));
  auto database = Database::Open(path);
  if (!database) return database.error();
  OptionIndex index(std::move(tree), std::move(*database));
  auto statement =
      index.database_.Prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'complete'");
  if (!statement) return statement.error();
  const auto has_row = statement->Step();
  if (!has_row) return has_row.error();
  if (statement->Integer(0) == 0) {
    if (auto filled = index.Fill(); !filled) return filled.error();
  }
  return index;
}

// In one transaction, so that a file is either empty or complete.
Result<void> OptionIndex::Fill() {
  return database_.Transact([this]() -> Result<void> {
    if (auto made = database_.Execute(kSchema); !made) return made;
    auto insert =
        database_.Prepare("INSERT INTO options(rowid, name, prompt, help) VALUES (?1, ?2, ?3, ?4)");
    if (!insert) return insert.error();
    const Tree& tree = tree_->tree();
    for (SymbolId id = 0; id < tree.symbols().size(); ++id) {
      const Symbol& symbol = tree.symbol(id);
      if (tree.RankOf(id) == kNone || symbol.name.empty()) continue;
      insert->Bind(1, static_cast<std::int64_t>(id))
          .Bind(2, symbol.name)
          .Bind(3, PromptOf(tree, id))
          .Bind(4, HelpOf(tree, id));
      if (auto done = insert->Run(); !done) return done;
    }
    return {};
  });
}

Result<std::vector<SymbolId>> OptionIndex::Match(const std::string& expression, std::size_t max) {
  auto select = database_.Prepare(
      "SELECT rowid FROM options WHERE options MATCH ?1 "
      "ORDER BY bm25(options, 10.0, 5.0, 1.0), rowid LIMIT ?2");
  if (!select) return select.error();
  select->Bind(1, expression).Bind(2, static_cast<std::int64_t>(max));
  std::vector<SymbolId> found;
  for (;;) {
    const auto has_row = select->Step();
    if (!has_row) return has_row.error();
    if (!*has_row) return found;
    found.push_back(static_cast<SymbolId>(select->Integer(0)));
  }
}

Result<std::vector<SearchHit>> OptionIndex::Search(const Configuration& configuration,
                                                   std::string_view query, std::size_t max) {
  Matches found = MatchNames(tree_->tree(), query);
  const std::string all = MatchText(query, " AND ");
  if (!all.empty() && found.size() < max) {
    auto words = Match(all, max);
    if (words && words->empty() && found.empty()) words = Match(MatchText(query, " OR "), max);
    if (!words) return words.error();
    for (const SymbolId id : *words) found.emplace_back(MatchKind::kWords, id);
  }
  std::vector<SearchHit> hits;
  std::vector<SymbolId> seen;
  for (const auto& [kind, id] : found) {
    if (hits.size() >= max) break;
    if (std::find(seen.begin(), seen.end(), id) != seen.end()) continue;
    seen.push_back(id);
    hits.push_back(DescribeSymbol(configuration, id));
    hits.back().match = kind;
  }
  return hits;
}

SearchHit DescribeSymbol(const Configuration& configuration, SymbolId id) {
  const Tree& tree = configuration.tree();
  SearchHit hit;
  hit.symbol = id;
  hit.prompt = PromptOf(tree, id);
  hit.help = HelpOf(tree, id);
  hit.value = std::string(configuration.text(id));
  hit.default_value = configuration.DefaultText(id);
  if (tree.symbol(id).dependency != kNone) hit.depends_on = tree.Show(tree.symbol(id).dependency);
  const MenuId menu = FirstPrompted(tree, id);
  if (menu != kNone) {
    hit.where = tree.menu(menu).where;
    if (tree.menu(menu).parent != kNone) hit.menu_path = MenuPathOf(tree, tree.menu(menu).parent);
  }
  const PropertyId range = configuration.ActiveProperty(id, PropertyKind::kRange);
  if (range != kNone) {
    hit.lowest = std::string(configuration.text(tree.property(range).first));
    hit.highest = std::string(configuration.text(tree.property(range).second));
  }
  return hit;
}

}  // namespace hone::kconfig
