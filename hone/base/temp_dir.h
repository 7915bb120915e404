// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"

namespace hone {

// A private folder (mode 0700) that is removed with everything in it when this is destroyed. It is
// locked meanwhile, so that others can tell it from one whose process was killed.
class TempDir {
 public:
  static Result<TempDir> Make(std::string_view prefix = "hone",
                              const std::filesystem::path& parent = {});

  // Removes folders with this prefix that killed processes of this user have left.
  static void RemoveAbandoned(std::string_view prefix, const std::filesystem::path& parent = {});

  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&& other) noexcept;
  ~TempDir();

  const std::filesystem::path& path() const { return path_; }

  // Moves it to a place on the same file system, where it stays. On an Error it is as before.
  Result<void> KeepAs(const std::filesystem::path& place);

 private:
  TempDir(std::filesystem::path path, Descriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  Descriptor lock_;
};

}  // namespace hone
