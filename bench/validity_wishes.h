// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/rng.h"
#include "hone/kconfig/reason/solve.h"
#include "hone/kconfig/values/configuration.h"

namespace hone {

// Draws candidates of one to three wishes from all options of a tree that have a prompt: of every
// kind, about half of them settable in the base as it is, the others only with what they need.
class WishDrawer {
 public:
  // The base outlives it. What is left out is never wished for.
  WishDrawer(const kconfig::Configuration& base, const std::vector<kconfig::SymbolId>& left_out);

  // The same for the same seed and number. The first wish is of kind number % 6, so that six in a
  // row have all of them.
  std::vector<kconfig::Wish> Draw(std::uint64_t seed, std::uint64_t number) const;

  // bool, tristate, int, hex, string or choice.
  static std::string_view KindOf(const kconfig::Tree& tree, kconfig::SymbolId id);

 private:
  kconfig::Wish DrawOf(std::string_view kind, Rng& rng) const;
  std::string DrawValue(kconfig::SymbolId id, Rng& rng) const;

  using ByKind = std::map<std::string_view, std::vector<kconfig::SymbolId>>;
  const kconfig::Configuration& base_;
  ByKind visible_;  // In the base.
  ByKind all_;
};

}  // namespace hone
