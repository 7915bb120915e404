// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

#include "hone/core/result.h"

namespace hone {

// A regular file in memory, read only, for as long as this lives; pages come from the disk when
// they are touched. Whoever shortens the file meanwhile ends this process (SIGBUS); a file that is
// replaced by another of its name stays whole.
class MappedFile {
 public:
  static Result<MappedFile> Open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile() { Close(); }

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  void Close();

  std::span<const std::byte> bytes_;
};

}  // namespace hone
