// SPDX-License-Identifier: Apache-2.0
#include "bench/validity_wishes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace hone {
namespace {

using kconfig::Configuration;
using kconfig::SymbolId;
using kconfig::SymbolType;
using kconfig::Tree;

constexpr std::array<std::string_view, 6> kKinds{"bool", "tristate", "int",
                                                 "hex",  "string",   "choice"};
constexpr std::array<std::string_view, 6> kTexts{"",         "a",           "two words",
                                                 "a\"quote", "back\\slash", "=#"};
constexpr std::uint64_t kFarOff = 8;  // One number in so many is drawn without a look at the range.
constexpr std::uint64_t kMaxFarOff = 1 << 20;

bool CanBeWished(const Tree& tree, SymbolId id) {
  const kconfig::Symbol& symbol = tree.symbol(id);
  if (symbol.is_choice || symbol.name.empty() || symbol.is_transitional || symbol.is_environment) {
    return false;
  }
  const auto properties = tree.PropertiesOf(id);
  return std::any_of(properties.begin(), properties.end(), [](const kconfig::Property& property) {
    return property.kind == kconfig::PropertyKind::kPrompt;
  });
}

// Of all ranges of the option, whether they hold now or not, one.
std::uint64_t DrawNumber(const Configuration& base, SymbolId id, Rng& rng) {
  std::vector<const kconfig::Property*> ranges;
  const auto properties = base.tree().PropertiesOf(id);
  for (const kconfig::Property& property : properties) {
    if (property.kind == kconfig::PropertyKind::kRange) ranges.push_back(&property);
  }
  if (ranges.empty() || rng.Below(kFarOff) == 0) return rng.Below(rng.Coin() ? 64 : kMaxFarOff);
  const kconfig::Property& range = *ranges[rng.Below(ranges.size())];
  const auto end = [&](SymbolId of) {
    const int radix = base.tree().symbol(id).type == SymbolType::kHex ? 16 : 10;
    return std::strtoull(std::string(base.text(of)).c_str(), nullptr, radix);
  };
  const std::uint64_t low = end(range.first);
  const std::uint64_t high = end(range.second);
  return low < high ? low + rng.Below(high - low) + rng.Below(2) : low;
}

}  // namespace

std::string_view WishDrawer::KindOf(const Tree& tree, SymbolId id) {
  return tree.symbol(id).choice != kconfig::kNone ? "choice" : NameOf(tree.symbol(id).type);
}

WishDrawer::WishDrawer(const Configuration& base, const std::vector<SymbolId>& left_out)
    : base_(base) {
  const Tree& tree = base.tree();
  for (const SymbolId id : tree.order()) {
    if (!CanBeWished(tree, id)) continue;
    if (std::find(left_out.begin(), left_out.end(), id) != left_out.end()) continue;
    const std::string_view kind = KindOf(tree, id);
    all_[kind].push_back(id);
    if (base.visibility(id) != kconfig::Tristate::kNo) visible_[kind].push_back(id);
  }
}

std::string WishDrawer::DrawValue(SymbolId id, Rng& rng) const {
  if (KindOf(base_.tree(), id) == "choice") return "y";
  switch (base_.tree().symbol(id).type) {
    case SymbolType::kTristate:
      return std::string(1, "nmy"[rng.Below(3)]);
    case SymbolType::kInt:
      return fmt::format("{}", DrawNumber(base_, id, rng));
    case SymbolType::kHex:
      return fmt::format("{:#x}", DrawNumber(base_, id, rng));
    case SymbolType::kString:
      return std::string(kTexts[rng.Below(kTexts.size())]);
    default:
      return rng.Coin() ? "y" : "n";
  }
}

// Not what is so already, if a few draws find something else.
kconfig::Wish WishDrawer::DrawOf(std::string_view kind, Rng& rng) const {
  const auto visible = visible_.find(kind);
  const bool takes_visible = visible != visible_.end() && rng.Coin();
  const std::vector<SymbolId>& from = takes_visible ? visible->second : all_.at(kind);
  kconfig::Wish wish;
  for (int tries = 0; tries < 8; ++tries) {
    wish.symbol = from[rng.Below(from.size())];
    wish.value = DrawValue(wish.symbol, rng);
    if (base_.text(wish.symbol) != wish.value) break;
  }
  return wish;
}

std::vector<kconfig::Wish> WishDrawer::Draw(std::uint64_t seed, std::uint64_t number) const {
  Rng rng = Rng(seed).Split("wishes").Split(number);
  const std::size_t count = 1 + rng.Below(3);
  std::vector<kconfig::Wish> wishes;
  while (wishes.size() < count) {
    const std::size_t kind = wishes.empty() ? number % kKinds.size() : rng.Below(kKinds.size());
    kconfig::Wish wish = DrawOf(kKinds[kind], rng);
    const bool is_new = std::none_of(wishes.begin(), wishes.end(), [&](const kconfig::Wish& other) {
      return other.symbol == wish.symbol;
    });
    if (is_new) wishes.push_back(std::move(wish));
  }
  return wishes;
}

}  // namespace hone
