// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/base/file_stamp.h"
#include "hone/base/sha256.h"
#include "hone/core/result.h"

namespace hone::kernels {

struct KnownDigest {
  FileStamp stamp;
  Sha256Digest digest{};  // Of the contents.
};

// Digests of files that were read before, by their stamps.
class FileDigests {
 public:
  explicit FileDigests(std::vector<KnownDigest> known = {});

  const Sha256Digest* Find(const FileStamp& stamp) const;  // Null if it is not known.

 private:
  std::vector<KnownDigest> known_;  // Sorted.
};

// Of the whole of a regular file, however large, in hexadecimal digits.
Result<std::string> DigestOfFile(const std::filesystem::path& file);

// None if the file is not there, is damaged, or may have been written by somebody else: it must be
// ours and for us alone, and its folder too. docs/formats/file-digests.md
FileDigests ReadFileDigests(const std::filesystem::path& file);

// Failing to only makes the next look slower.
void WriteFileDigests(const std::filesystem::path& file, const std::vector<KnownDigest>& known);

}  // namespace hone::kernels
