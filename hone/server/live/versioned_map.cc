// SPDX-License-Identifier: Apache-2.0
#include "hone/server/live/versioned_map.h"

namespace hone::server {

void VersionedMap::NoteGone(const std::string& name) {
  gone_[version_].push_back(name);
  ++gone_count_;
  while (gone_count_ > kMaxGone) {
    const auto oldest = gone_.begin();
    forgotten_ = oldest->first;
    gone_count_ -= oldest->second.size();
    gone_.erase(oldest);
  }
}

bool VersionedMap::Replace(const Items& items) {
  const bool is_first = version_ == 0;
  ++version_;
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
    changed_[name] = version_;
    is_changed = true;
  }
  if (is_changed) items_ = items;
  return is_changed;
}

VersionedMap::Changes VersionedMap::Since(std::uint64_t version) const {
  Changes changes;
  changes.version = version_;
  changes.is_whole = version_ > 0 && (version == 0 || version < forgotten_);
  const std::uint64_t from = changes.is_whole ? 0 : version;
  for (const auto& [name, changed] : changed_) {
    if (changed > from) changes.items.emplace(name, items_.at(name));
  }
  if (changes.is_whole) return changes;
  for (auto place = gone_.upper_bound(version); place != gone_.end(); ++place) {
    for (const std::string& name : place->second) {
      if (!items_.contains(name)) changes.gone.push_back(name);
    }
  }
  return changes;
}

}  // namespace hone::server
