// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <compare>
#include <cstdint>

namespace hone {

// What tells one state of a file from another without reading it, as in git's index. Whoever owns a
// file can set the time of modification, but not that of change.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_s = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_s = 0;
  std::int64_t changed_ns = 0;

  friend auto operator<=>(const FileStamp&, const FileStamp&) = default;
};

inline FileStamp StampOf(const struct stat& facts) {
  return {.device = facts.st_dev,
          .inode = facts.st_ino,
          .size = static_cast<std::uint64_t>(facts.st_size),
          .modified_s = facts.st_mtim.tv_sec,
          .modified_ns = facts.st_mtim.tv_nsec,
          .changed_s = facts.st_ctim.tv_sec,
          .changed_ns = facts.st_ctim.tv_nsec};
}

}  // namespace hone
