// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "hone/core/result.h"
#include "hone/domains/sysctl/apply/file_place.h"

namespace hone::sysctl {

// A configuration file as it is on disk, or that there is none.
struct FileImage {
  bool is_there = false;
  std::uint32_t mode = 0644;  // The permission bits.
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  std::map<std::string, std::string> attributes;  // Extended ones, as far as they can be read.
  std::string bytes;

  bool operator==(const FileImage&) const = default;
};

// A file that is not there is an image too, its folder must be.
// kUnsupported: it is a link, has a second name (hard link), is no regular file, or is larger than
// 1 MiB: replacing it would break more than its contents.
Result<FileImage> ReadFileImage(const FilePlace& place);
Result<FileImage> ReadFileImage(const std::string& file);  // Once, where nothing is written later.

// In one step: after a crash the file is the old one or the new one, and once this returns the new
// one is on disk with its owner, mode and, where the file system takes them, extended attributes.
// Whoever may write to the folder can undo that; nothing outside the folder is touched.
Result<void> WriteFileImage(const FilePlace& place, const FileImage& image);

// What a process that died while it wrote may have left beside the file.
void RemoveDraft(const FilePlace& place);

// A short text that differs for images that differ, for journals and people:
// "0644 0:0 1234 bytes 9f86d0818aa2b7c4", or "absent".
std::string FingerprintOf(const FileImage& image);

}  // namespace hone::sysctl
