// SPDX-License-Identifier: Apache-2.0
#include "hone/server/bulletin.h"

namespace hone {

void Bulletin::NoteGone(const std::string& name) {
  gone_[edition_].push_back(name);
  ++gone_count_;
  while (gone_count_ > kMostGone) {
    const auto oldest = gone_.begin();
    forgotten_ = oldest->first;
    gone_count_ -= oldest->second.size();
    gone_.erase(oldest);
  }
}

bool Bulletin::Replace(const Items& items) {
  const bool is_first = edition_ == 0;
  ++edition_;
  bool is_changed = is_first;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (items.contains(entry->first)) {
      ++entry;
      continue;
    }
    NoteGone(entry->first);
    entry = entries_.erase(entry);
    is_changed = true;
  }
  for (const auto& [name, value] : items) {
    Entry& entry = entries_[name];
    if (entry.edition != 0 && entry.value == value) continue;
    entry.value = value;
    entry.edition = edition_;
    is_changed = true;
  }
  return is_changed;
}

Bulletin::Changes Bulletin::Since(std::uint64_t edition) const {
  Changes changes;
  changes.edition = edition_;
  changes.is_whole = edition_ > 0 && (edition == 0 || edition < forgotten_);
  const std::uint64_t from = changes.is_whole ? 0 : edition;
  for (const auto& [name, entry] : entries_) {
    if (entry.edition > from) changes.items.emplace(name, entry.value);
  }
  if (changes.is_whole) return changes;
  for (auto place = gone_.upper_bound(edition); place != gone_.end(); ++place) {
    for (const std::string& name : place->second) {
      if (!entries_.contains(name)) changes.gone.push_back(name);
    }
  }
  return changes;
}

}  // namespace hone
