// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/tree_index.h"

namespace hone::kconfig {

using Entries = std::vector<std::pair<SymbolId, std::uint32_t>>;

TreeIndex::TreeIndex(std::shared_ptr<const Tree> tree)
    : tree_(std::move(tree)), has_prompt_(tree_->symbols().size(), 0) {
  Entries selects;
  Entries implies;
  for (PropertyId id = 0; id < tree_->properties().size(); ++id) {
    const Property& property = tree_->property(id);
    if (property.symbol == kNone) continue;
    if (property.kind == PropertyKind::kPrompt) has_prompt_[property.symbol] = 1;
    if (property.kind == PropertyKind::kSelect) selects.emplace_back(property.first, id);
    if (property.kind == PropertyKind::kImply) implies.emplace_back(property.first, id);
  }
  Entries comparisons;
  for (ExpressionId id = 0; id < tree_->expressions().size(); ++id) {
    const Expression& expression = tree_->expression(id);
    if (!IsComparison(expression.operation)) continue;
    comparisons.emplace_back(expression.left, id);
    if (expression.right != expression.left) comparisons.emplace_back(expression.right, id);
  }
  const std::size_t count = tree_->symbols().size();
  selects_ = MakeLists(selects, count);
  implies_ = MakeLists(implies, count);
  comparisons_ = MakeLists(comparisons, count);
}

TreeIndex::Lists TreeIndex::MakeLists(const Entries& entries, std::size_t symbol_count) {
  Lists lists;
  lists.begin.assign(symbol_count + 1, 0);
  lists.items.resize(entries.size());
  for (const auto& entry : entries) ++lists.begin[entry.first + 1];
  for (std::size_t id = 0; id < symbol_count; ++id) lists.begin[id + 1] += lists.begin[id];
  std::vector<std::uint32_t> next(lists.begin.begin(), lists.begin.end() - 1);
  for (const auto& [symbol, item] : entries) lists.items[next[symbol]++] = item;
  return lists;
}

}  // namespace hone::kconfig
