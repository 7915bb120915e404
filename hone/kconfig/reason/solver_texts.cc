// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/solver_texts.h"

#include <fmt/format.h>

#include <set>

#include "hone/kconfig/values/values.h"

namespace hone::kconfig {
namespace {

bool IsNumeric(SymbolType type) { return type == SymbolType::kInt || type == SymbolType::kHex; }

}  // namespace

std::optional<std::string> ConstantTextOf(const TreeIndex& index, SymbolId id) {
  const Symbol& symbol = index.tree().symbol(id);
  if (symbol.is_constant || symbol.type == SymbolType::kUnknown) return std::string(symbol.name);
  if (IsLogical(symbol.type)) return "n";
  return std::nullopt;
}

bool IsSameValue(SymbolType type, std::string_view a, std::string_view b) {
  if (type != SymbolType::kInt && type != SymbolType::kHex) return a == b;
  return Compare(Operation::kEqual, type, a, type, b);
}

struct TextDomains::Gathering {
  SymbolType type;
  std::set<SymbolId> seen;
  std::set<std::string> texts;
  bool is_free = false;  // The user may write anything.
};

const std::vector<std::string>& TextDomains::Of(SymbolId id) {
  const auto known = known_.find(id);
  if (known != known_.end()) return known->second;
  Gathering gathering{.type = index_.tree().symbol(id).type, .seen = {}, .texts = {}};
  Gather(id, gathering);
  if (index_.HasPrompt(id)) GatherCompared(id, gathering);
  if (gathering.type == SymbolType::kString && gathering.is_free) {
    std::string other = "x";
    while (gathering.texts.contains(other)) other += 'x';
    gathering.texts.insert(other);
  }
  return known_
      .emplace(id, std::vector<std::string>(gathering.texts.begin(), gathering.texts.end()))
      .first->second;
}

void TextDomains::Gather(SymbolId id, Gathering& gathering) {
  if (!gathering.seen.insert(id).second) return;
  if (const auto constant = ConstantTextOf(index_, id)) {
    gathering.texts.insert(*constant);
    return;
  }
  gathering.texts.emplace(start_.text(id));
  gathering.texts.insert({"", "0", "0x0"});
  if (const auto user = start_.UserValue(id)) gathering.texts.insert(*user);
  for (auto [at, end] = wanted_.equal_range(id); at != end; ++at) {
    gathering.texts.insert(at->second);
  }
  GatherProperties(id, gathering);
}

void TextDomains::GatherProperties(SymbolId id, Gathering& gathering) {
  const Tree& tree = index_.tree();
  for (const Property& property : tree.PropertiesOf(id)) {
    if (property.kind == PropertyKind::kDefault) {
      const Expression& value = tree.expression(property.first);
      if (value.operation == Operation::kSymbol) Gather(value.left, gathering);
    }
    if (property.kind != PropertyKind::kRange) continue;
    Gather(property.first, gathering);
    Gather(property.second, gathering);
  }
}

// A number or string could be anything; the solver gets the few texts that can make a difference:
// what it is compared with and, for numbers, both neighbours, so that every <, = and > can be had.
void TextDomains::GatherCompared(SymbolId id, Gathering& gathering) {
  gathering.is_free = true;
  for (const ExpressionId at : index_.ComparisonsOf(id)) {
    const Expression& comparison = index_.tree().expression(at);
    const SymbolId other = comparison.left == id ? comparison.right : comparison.left;
    Gathering others{.type = gathering.type, .seen = {id}, .texts = {}};
    Gather(other, others);
    for (const std::string& text : others.texts) {
      gathering.texts.insert(text);
      if (!IsNumeric(gathering.type)) continue;
      const long long number = NumberOf(text, BaseOf(gathering.type));
      for (const long long near : {number - 1, number + 1}) {
        gathering.texts.insert(gathering.type == SymbolType::kHex
                                   ? fmt::format("0x{:x}", static_cast<unsigned long long>(near))
                                   : fmt::format("{}", near));
      }
    }
  }
}

}  // namespace hone::kconfig
