// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hone/kconfig/reason/tree_index.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kconfig {

// The texts that matter of each int, hex and string symbol: those that it has, may default to, is
// clamped to or is compared with, those beside a number that it is compared with, and a text that
// nothing else has. Between two of them no comparison of the tree sees a difference, unless it
// compares two symbols that both are free.
class TextDomains {
 public:
  TextDomains(const TreeIndex& index, const Configuration& start) : index_(index), start_(start) {}

  void Want(SymbolId id, const std::string& text) { wanted_.emplace(id, text); }

  // Sorted, each once.
  const std::vector<std::string>& Of(SymbolId id);

 private:
  struct Gathering;
  void Gather(SymbolId id, Gathering& gathering);
  void GatherProperties(SymbolId id, Gathering& gathering);
  void GatherCompared(SymbolId id, Gathering& gathering);

  const TreeIndex& index_;
  const Configuration& start_;
  std::multimap<SymbolId, std::string> wanted_;
  std::unordered_map<SymbolId, std::vector<std::string>> known_;
};

// What a symbol gives to a default or a range of one that holds text; nullopt if what it has
// itself. The C tool takes the text of a bool for "n" there, whatever its value.
std::optional<std::string> ConstantTextOf(const TreeIndex& index, SymbolId id);

// Whether two texts are the same value: 0x10 and 0X10 are.
bool IsSameValue(SymbolType type, std::string_view a, std::string_view b);

}  // namespace hone::kconfig
