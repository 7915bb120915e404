// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hone::llm {

// The merges of a byte-pair encoding (Sennrich et al., 2016): of all neighbours in a word that the
// table has, the pair of the lowest rank is merged, the leftmost first, until none is left.
class BpeMerges {
 public:
  explicit BpeMerges(std::size_t expected);

  // The rank is how many were added before. False if this pair is known already.
  bool Add(std::int32_t left, std::int32_t right, std::int32_t merged);

  // Replaces the tokens by what they are merged to.
  void Apply(std::vector<std::int32_t>& tokens) const;

 private:
  struct Merge {
    std::uint64_t pair = 0;
    std::int32_t rank = -1;  // -1: an empty slot.
    std::int32_t merged = 0;
  };

  const Merge* Find(std::int32_t left, std::int32_t right) const;
  std::size_t SlotOf(std::uint64_t pair) const;
  void ApplyToShort(std::vector<std::int32_t>& tokens) const;
  void ApplyToLong(std::vector<std::int32_t>& tokens) const;

  std::vector<Merge> slots_;  // A hash table, at most half full.
  std::size_t mask_ = 0;
  std::int32_t count_ = 0;
};

}  // namespace hone::llm
