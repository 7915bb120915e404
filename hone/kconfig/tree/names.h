// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hone/kconfig/language/large_memory.h"
#include "hone/kconfig/tree/types.h"

namespace hone::kconfig {

struct Symbol;

// Finds symbols by name; the constant "x" and the symbol x are two.
class NameTable {
 public:
  // The name itself lies in texts_, close to the others: files are spread over megabytes.
  struct Slot {
    std::uint32_t hash = 0;
    SymbolId id = kNone;
    std::uint32_t text = 0;
    std::uint32_t key = 0;  // Its size, and whether it is a constant.
  };

  NameTable();

  // What it is made of, for a snapshot, and made of that again.
  struct Parts {
    std::span<const Slot> slots;
    std::span<const char> texts;
  };
  Parts parts() const { return {slots_, texts_}; }
  explicit NameTable(const Parts& parts);

  SymbolId Find(std::string_view name, bool is_constant) const;

  // The symbol of that name. A new one is appended to `symbols` and keeps the view.
  SymbolId FindOrAdd(std::string_view name, bool is_constant, LargeList<Symbol>& symbols);

 private:
  std::size_t Locate(std::string_view name, std::uint32_t hash, bool is_constant) const;
  void Grow();

  std::vector<Slot> slots_;
  std::vector<char> texts_;
  std::size_t count_ = 0;
};

}  // namespace hone::kconfig
