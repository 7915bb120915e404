// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hone/kconfig/tree/tree.h"

namespace hone::kconfig {

// What a Tree says about each symbol from the other side. Immutable, for any number of threads.
class TreeIndex {
 public:
  explicit TreeIndex(std::shared_ptr<const Tree> tree);

  const Tree& tree() const { return *tree_; }
  const std::shared_ptr<const Tree>& shared_tree() const { return tree_; }

  // The select and imply lines whose target is the symbol, in the order of the files.
  std::span<const PropertyId> SelectsOf(SymbolId target) const { return selects_.Of(target); }
  std::span<const PropertyId> ImpliesOf(SymbolId target) const { return implies_.Of(target); }

  // The comparisons that the symbol is an operand of.
  std::span<const ExpressionId> ComparisonsOf(SymbolId id) const { return comparisons_.Of(id); }

  bool HasPrompt(SymbolId id) const { return has_prompt_[id] != 0; }
  bool IsDefined(SymbolId id) const { return tree_->RankOf(id) != kNone; }

 private:
  // Lists of numbers, one list for each symbol.
  struct Lists {
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> items;
    std::span<const std::uint32_t> Of(SymbolId id) const {
      return std::span(items).subspan(begin[id], begin[id + 1] - begin[id]);
    }
  };
  static Lists MakeLists(const std::vector<std::pair<SymbolId, std::uint32_t>>& entries,
                         std::size_t symbol_count);

  std::shared_ptr<const Tree> tree_;
  Lists selects_;
  Lists implies_;
  Lists comparisons_;
  std::vector<std::uint8_t> has_prompt_;
};

}  // namespace hone::kconfig
