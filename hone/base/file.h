// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"

namespace hone {

// The whole file; kInvalidArgument if it is larger than `max`, or no regular file: what lies in a
// tree that somebody else made may be a pipe or a device, which would be waited for, or do
// something. Opening never waits. Links are followed. Works for /proc and /sys, where sizes lie,
// and for what the shell hands over (/dev/fd/63, /dev/stdin), which may wait.
Result<std::string> ReadFile(const std::filesystem::path& path, std::size_t max = 64 << 20);

// The same for a file that may be no link either, so that nothing outside its folder is read.
Result<std::string> ReadRegularFile(const std::filesystem::path& path, std::size_t max);

// The same of a file that is open, from where it is read next; `path` names it in an error.
Result<std::string> ReadOpenFile(const Descriptor& file, const std::filesystem::path& path,
                                 std::size_t max);

// Replaces the file in one step: after a crash it holds the old text or the new one, and once this
// returns the new one is on disk (temporary file, fsync, rename, fsync of the folder).
Result<void> WriteFileDurably(const std::filesystem::path& path, std::string_view text);

// The same for a file of many parts, one after the other.
Result<void> WriteFileDurably(const std::filesystem::path& path,
                              std::span<const std::string_view> parts);

// The same without waiting for the disk, for what can be made again: in one step for other
// processes, but after a power cut it may be anything.
Result<void> WriteFileAtomically(const std::filesystem::path& path, std::string_view text);

// Creates the folder and its parents.
Result<void> MakeFolder(const std::filesystem::path& path);

// An exclusive lock on a file, held until destroyed or until the process ends, however it ends.
// Nobody but its owner can open the file: a lock that others can open, they can hold.
class FileLock {
 public:
  // kStale, with the holder's pid, if another process holds it. Never waits.
  // kInvalidArgument: what is there is a link, no regular file, or belongs neither to this user nor
  // to the owner of its folder.
  static Result<FileLock> Take(const std::filesystem::path& path);

  // Whether some process, this one included, holds it now. Makes no file. For a moment nobody else
  // can take it.
  static bool IsHeld(const std::filesystem::path& path);

 private:
  explicit FileLock(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

}  // namespace hone
