// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/sqlite/sqlite.h"
#include "hone/core/result.h"
#include "hone/kconfig/reason/tree_index.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kconfig {

enum class MatchKind : std::uint8_t { kName, kNamePrefix, kWords };
std::string_view NameOf(MatchKind kind);

// A symbol that was found, with what one must know to decide about it.
struct SearchHit {
  SymbolId symbol = kNone;
  MatchKind match = MatchKind::kWords;
  std::string prompt;                  // Empty without one.
  std::vector<std::string> menu_path;  // Titles from the root.
  std::string help;
  std::string lowest;  // Of a range that holds now.
  std::string highest;
  std::string default_value;
  std::string value;
  std::string depends_on;
  Location where;
};

// Full text search over the names, prompts and help texts of a tree (SQLite FTS5, with word
// stems). An exact name comes first (spaces may stand for _), then names that begin with the query,
// then by bm25, a word in the name counting ten times and one in the prompt five times one in the
// help. For one thread at a time.
class OptionIndex {
 public:
  // In memory, about half a second for Linux.
  static Result<OptionIndex> Make(std::shared_ptr<const TreeIndex> tree);

  // The same, kept in `folder` under the identity of the tree's texts: the next one opens at once.
  static Result<OptionIndex> Open(std::shared_ptr<const TreeIndex> tree,
                                  const std::filesystem::path& folder);

  // At most `max` hits, best first. All words of the query must be there; if no symbol has all,
  // any of them. The values are those of the configuration, which must be one of the same tree.
  Result<std::vector<SearchHit>> Search(const Configuration& configuration, std::string_view query,
                                        std::size_t max);

 private:
  OptionIndex(std::shared_ptr<const TreeIndex> tree, Database database);
  Result<void> Fill();
  Result<std::vector<SymbolId>> Match(const std::string& expression, std::size_t max);

  std::shared_ptr<const TreeIndex> tree_;
  Database database_;
};

// One hit, for a symbol that is known already.
SearchHit DescribeSymbol(const Configuration& configuration, SymbolId id);

}  // namespace hone::kconfig
