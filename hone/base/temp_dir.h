// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "hone/core/result.h"

namespace hone {

// A private folder (mode 0700) that is removed with everything in it when this is destroyed.
class TempDir {
 public:
  static Result<TempDir> Make(std::string_view prefix = "hone");

  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&& other) noexcept;
  ~TempDir();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TempDir(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace hone
