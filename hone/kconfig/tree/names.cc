// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/tree/names.h"

#include <algorithm>
#include <cstring>

#include "hone/kconfig/tree/tree.h"

namespace hone::kconfig {
namespace {

std::uint64_t EightBytes(const char* at) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, 8);
  return bytes;
}

// Eight bytes a step; the last ones overlap those before. Names are short.
std::uint32_t HashOfName(std::string_view name, bool is_constant) {
  std::uint64_t hash = name.size() * 2 + (is_constant ? 1 : 0);
  const auto add = [&hash](std::uint64_t bytes) {
    hash = (hash ^ bytes) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  };
  if (name.size() < 8) {
    std::uint64_t bytes = 0;
    for (const char c : name) bytes = (bytes << 8U) | static_cast<unsigned char>(c);
    add(bytes);
  } else {
    const char* const last = name.data() + name.size() - 8;
    for (const char* at = name.data(); at < last; at += 8) add(EightBytes(at));
    add(EightBytes(last));
  }
  return static_cast<std::uint32_t>(hash >> 32);
}

std::uint32_t KeyOf(std::size_t size, bool is_constant) {
  return static_cast<std::uint32_t>(size * 2 + (is_constant ? 1 : 0));
}

}  // namespace

NameTable::NameTable() : slots_(1 << 15) { texts_.reserve(1 << 19); }

NameTable::NameTable(const Parts& parts)
    : slots_(parts.slots.begin(), parts.slots.end()),
      texts_(parts.texts.begin(), parts.texts.end()),
      count_(static_cast<std::size_t>(std::count_if(
          slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.id != kNone; }))) {}

SymbolId NameTable::Find(std::string_view name, bool is_constant) const {
  return slots_[Locate(name, HashOfName(name, is_constant), is_constant)].id;
}

SymbolId NameTable::FindOrAdd(std::string_view name, bool is_constant, LargeList<Symbol>& symbols) {
  if (count_ * 4 >= slots_.size() * 3) Grow();
  const std::uint32_t hash = HashOfName(name, is_constant);
  Slot& slot = slots_[Locate(name, hash, is_constant)];
  if (slot.id != kNone) return slot.id;
  slot = {hash, static_cast<SymbolId>(symbols.size()), static_cast<std::uint32_t>(texts_.size()),
          KeyOf(name.size(), is_constant)};
  texts_.insert(texts_.end(), name.begin(), name.end());
  ++count_;
  Symbol& symbol = symbols.emplace_back();
  symbol.name = name;
  symbol.is_constant = is_constant;
  return slot.id;
}

std::size_t NameTable::Locate(std::string_view name, std::uint32_t hash, bool is_constant) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint32_t key = KeyOf(name.size(), is_constant);
  std::size_t at = hash & mask;
  for (; slots_[at].id != kNone; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.hash != hash || slot.key != key) continue;
    if (std::string_view(texts_.data() + slot.text, name.size()) == name) break;
  }
  return at;
}

void NameTable::Grow() {
  std::vector<Slot> old(slots_.size() * 4);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == kNone) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].id != kNone) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace hone::kconfig
