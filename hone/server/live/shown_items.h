// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "hone/base/json/json.h"
#include "hone/server/live/versioned_map.h"

namespace hone::server {

// A value of a map that not everybody is shown: whose it is stands beside it.
Json OwnedItem(Json item, const std::string& submitter);

// What one asker is shown of a map, and has been shown: of what was never his, it is not told
// either that it has gone. What is no OwnedItem is for all. Not safe for concurrent use.
class ShownItems {
 public:
  using Sees = std::function<bool(const std::string& submitter)>;

  explicit ShownItems(Sees sees) : sees_(std::move(sees)) {}

  VersionedMap::Changes Of(const VersionedMap::Changes& changes);

 private:
  const Sees sees_;
  std::set<std::string> names_;  // That it knows.
};

}  // namespace hone::server
