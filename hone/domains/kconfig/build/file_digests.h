// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <compare>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "hone/base/sha256.h"

namespace hone::kernels {

// What tells one state of a file from another without reading it. Whoever owns a file can set the
// time of modification, but not that of change.
struct FileState {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_s = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_s = 0;
  std::int64_t changed_ns = 0;

  friend auto operator<=>(const FileState&, const FileState&) = default;
};

FileState StateOf(const struct stat& facts);

struct KnownDigest {
  FileState state;
  Sha256Digest digest{};  // Of the contents.
};

// Digests of files that were read before, by their state.
class FileDigests {
 public:
  explicit FileDigests(std::vector<KnownDigest> known = {});

  const Sha256Digest* Find(const FileState& state) const;  // Null if it is not known.

 private:
  std::vector<KnownDigest> known_;  // Sorted.
};

// None if the file is not there, is damaged, or may have been written by somebody else: it must be
// ours and for us alone, and its folder too. docs/formats/file-digests.md
FileDigests ReadFileDigests(const std::filesystem::path& file);

// Failing to only makes the next look slower.
void WriteFileDigests(const std::filesystem::path& file, const std::vector<KnownDigest>& known);

}  // namespace hone::kernels
