// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hone/base/json/json.h"

namespace hone::server {

// Named values as they are now, and when each of them changed: whoever has seen an earlier version
// is told the difference, however many versions lie between. Not safe for concurrent use.
class VersionedMap {
 public:
  using Items = std::map<std::string, Json>;

  struct Changes {
    bool is_whole = false;          // `items` is all there is; what was seen before is void.
    Items items;                    // New, or with another value.
    std::vector<std::string> gone;  // By name.
    std::uint64_t version = 0;      // What has been seen with this.

    bool is_empty() const { return !is_whole && items.empty() && gone.empty(); }
  };

  // From now on there is this, and nothing else. False: that was so before.
  bool Replace(const Items& items);

  // 0 has seen nothing, and gets all.
  Changes Since(std::uint64_t version) const;

  static constexpr std::size_t kMaxGone = 1000;  // Remembered; who is farther behind gets all.

 private:
  void NoteGone(const std::string& name);

  Items items_;
  std::map<std::string, std::uint64_t> changed_;            // In which version each last did.
  std::map<std::uint64_t, std::vector<std::string>> gone_;  // By the version that left them out.
  std::size_t gone_count_ = 0;
  std::uint64_t forgotten_ = 0;  // Up to this version, what is gone is not known any more.
  std::uint64_t version_ = 0;
};

}  // namespace hone::server
