// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "hone/base/descriptor.h"
#include "hone/kconfig/language/text_arena.h"

namespace hone::kconfig {

// A file that an earlier run of this very build left for this user: a key, which says when it may
// be used, and a body. docs/formats/kconfig-snapshot.md
class SnapshotFile {
 public:
  // nullopt unless the key is there and whole, in a folder that only we can write to, and was
  // written by this build.
  static std::optional<SnapshotFile> Open(const std::filesystem::path& path);

  std::string_view key() const { return {room_, key_size_}; }

  // Reads it; once. nullopt if it is not whole.
  std::optional<std::string_view> ReadBody();

  // Keeps key and body.
  std::shared_ptr<const void> storage() const { return storage_; }

 private:
  SnapshotFile() = default;

  Descriptor file_;
  std::shared_ptr<TextArena> storage_ = std::make_shared<TextArena>();
  char* room_ = nullptr;
  std::size_t key_size_ = 0;
  std::size_t body_size_ = 0;
  std::uint64_t body_sum_ = 0;
};

// Replaces it in one step; its folder is made, for us alone, and keeps the 16 youngest. Failing to
// leaves none, or the old one. Nothing is written by a program that has no build identity.
void WriteSnapshot(const std::filesystem::path& path, std::string_view key, std::string_view body);

}  // namespace hone::kconfig
