// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/bpe.h"

#include <bit>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>

#include "hone/core/check.h"

namespace hone::llm {
namespace {

// Up to here looking at every pair again is quicker than a heap.
constexpr std::size_t kShortWord = 48;
constexpr std::int32_t kNowhere = -1;

std::uint64_t PairOf(std::int32_t left, std::int32_t right) {
  return (std::uint64_t{static_cast<std::uint32_t>(left)} << 32) |
         static_cast<std::uint32_t>(right);
}

struct Symbol {
  std::int32_t token = 0;
  std::int32_t before = kNowhere;
  std::int32_t after = kNowhere;
  bool is_merged_away = false;
};

// A pair that was seen at a place; by the time it is looked at, it may be gone.
struct SeenPair {
  std::int32_t rank;
  std::int32_t place;
  std::uint64_t pair;

  bool operator>(const SeenPair& other) const {
    return std::tie(rank, place) > std::tie(other.rank, other.place);
  }
};

using SeenPairs = std::priority_queue<SeenPair, std::vector<SeenPair>, std::greater<>>;

std::vector<Symbol> SymbolsOf(const std::vector<std::int32_t>& tokens) {
  std::vector<Symbol> symbols(tokens.size());
  const auto count = static_cast<std::int32_t>(tokens.size());
  for (std::int32_t k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    symbols[at] = {tokens[at], k - 1, k + 1 < count ? k + 1 : kNowhere, false};
  }
  return symbols;
}

}  // namespace

BpeMerges::BpeMerges(std::size_t expected)
    : slots_(std::bit_ceil(std::max<std::size_t>(expected * 2, 16))), mask_(slots_.size() - 1) {}

std::size_t BpeMerges::SlotOf(std::uint64_t pair) const {
  std::uint64_t hash = pair * 0x9e3779b97f4a7c15;
  hash ^= hash >> 32;
  std::size_t slot = hash & mask_;
  while (slots_[slot].rank >= 0 && slots_[slot].pair != pair) slot = (slot + 1) & mask_;
  return slot;
}

bool BpeMerges::Add(std::int32_t left, std::int32_t right, std::int32_t merged) {
  HONE_CHECK(static_cast<std::size_t>(count_) * 2 < slots_.size());
  Merge& slot = slots_[SlotOf(PairOf(left, right))];
  if (slot.rank >= 0) return false;
  slot = {PairOf(left, right), count_++, merged};
  return true;
}

const BpeMerges::Merge* BpeMerges::Find(std::int32_t left, std::int32_t right) const {
  const Merge& slot = slots_[SlotOf(PairOf(left, right))];
  return slot.rank >= 0 ? &slot : nullptr;
}

void BpeMerges::Apply(std::vector<std::int32_t>& tokens) const {
  if (tokens.size() < 2) return;
  HONE_CHECK(tokens.size() < std::numeric_limits<std::int32_t>::max());
  tokens.size() <= kShortWord ? ApplyToShort(tokens) : ApplyToLong(tokens);
}

void BpeMerges::ApplyToShort(std::vector<std::int32_t>& tokens) const {
  std::array<const Merge*, kShortWord> merges{};  // Of a token with the next one.
  for (std::size_t k = 0; k + 1 < tokens.size(); ++k) merges[k] = Find(tokens[k], tokens[k + 1]);
  std::size_t count = tokens.size();
  while (true) {
    std::size_t best = count;
    for (std::size_t k = 0; k + 1 < count; ++k) {
      if (merges[k] != nullptr && (best == count || merges[k]->rank < merges[best]->rank)) best = k;
    }
    if (best == count) break;
    tokens[best] = merges[best]->merged;
    for (std::size_t k = best + 1; k + 1 < count; ++k) {
      tokens[k] = tokens[k + 1];
      merges[k] = merges[k + 1];
    }
    --count;
    merges[count - 1] = nullptr;
    if (best + 1 < count) merges[best] = Find(tokens[best], tokens[best + 1]);
    if (best > 0) merges[best - 1] = Find(tokens[best - 1], tokens[best]);
  }
  tokens.resize(count);
}

void BpeMerges::ApplyToLong(std::vector<std::int32_t>& tokens) const {
  std::vector<Symbol> symbols = SymbolsOf(tokens);
  const auto at = [&symbols](std::int32_t place) -> Symbol& {
    return symbols[static_cast<std::size_t>(place)];
  };
  SeenPairs seen;
  const auto look = [&](std::int32_t place) {
    if (place == kNowhere || at(place).after == kNowhere) return;
    const std::int32_t left = at(place).token;
    const std::int32_t right = at(at(place).after).token;
    if (const Merge* merge = Find(left, right)) seen.push({merge->rank, place, merge->pair});
  };
  for (std::size_t k = 0; k < symbols.size(); ++k) look(static_cast<std::int32_t>(k));
  while (!seen.empty()) {
    const SeenPair top = seen.top();
    seen.pop();
    Symbol& left = at(top.place);
    if (left.is_merged_away || left.after == kNowhere) continue;
    Symbol& right = at(left.after);
    if (PairOf(left.token, right.token) != top.pair) continue;
    left.token = Find(left.token, right.token)->merged;
    right.is_merged_away = true;
    left.after = right.after;
    if (left.after != kNowhere) at(left.after).before = top.place;
    look(left.before);
    look(top.place);
  }
  tokens.clear();
  for (const Symbol& symbol : symbols) {
    if (!symbol.is_merged_away) tokens.push_back(symbol.token);
  }
}

}  // namespace hone::llm
