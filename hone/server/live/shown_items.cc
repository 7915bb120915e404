// SPDX-License-Identifier: Apache-2.0
#include "hone/server/live/shown_items.h"

namespace hone::server {
namespace {

constexpr const char* kItem = "owned_item";
constexpr const char* kSubmitter = "submitter";

}  // namespace

Json OwnedItem(Json item, const std::string& submitter) {
  return {{kItem, std::move(item)}, {kSubmitter, submitter}};
}

VersionedMap::Changes ShownItems::Of(const VersionedMap::Changes& changes) {
  VersionedMap::Changes shown{changes.is_whole, {}, {}, changes.version};
  if (changes.is_whole) names_.clear();
  for (const auto& [name, value] : changes.items) {
    const auto item = value.find(kItem);
    const bool is_owned = item != value.end();
    if (is_owned && !sees_(value[kSubmitter])) continue;
    names_.insert(name);
    shown.items.emplace(name, is_owned ? *item : value);
  }
  for (const std::string& name : changes.gone) {
    if (names_.erase(name) > 0) shown.gone.push_back(name);
  }
  return shown;
}

}  // namespace hone::server
