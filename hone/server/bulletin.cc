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
  for (const auto& [name, value] : items_) {
    if (items.contains(name)) continue;
    NoteGone(name);
    changed_.erase(name);
    is_changed = true;
  }
  for (const auto& [name, value] : items) {
    const auto known = items_.find(name);
    if (known != items_.end() && known->second == value) continue;
    changed_[name] = edition_;
    is_changed = true;
  }
  if (is_changed) items_ = items;
  return is_changed;
}

Bulletin::Changes Bulletin::Since(std::uint64_t edition) const {
  Changes changes;
  changes.edition = edition_;
  changes.is_whole = edition_ > 0 && (edition == 0 || edition < forgotten_);
  const std::uint64_t from = changes.is_whole ? 0 : edition;
  for (const auto& [name, changed] : changed_) {
    if (changed > from) changes.items.emplace(name, items_.at(name));
  }
  if (changes.is_whole) return changes;
  for (auto place = gone_.upper_bound(edition); place != gone_.end(); ++place) {
    for (const std::string& name : place->second) {
      if (!items_.contains(name)) changes.gone.push_back(name);
    }
  }
  return changes;
}

}  // namespace hone
