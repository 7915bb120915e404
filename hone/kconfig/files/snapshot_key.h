// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/base/sha256.h"
#include "hone/kconfig/language/macro.h"
#include "hone/kconfig/language/source_folders.h"

namespace hone::kconfig {

// What a command gave before; null if it would have to run.
using KnownResults = std::function<const std::string*(const std::string& command)>;

// All that a parsed tree was made of.
struct TreeInputs {
  std::string_view identity;  // What was loaded, and by which rules.
  FileInputs files;
  std::span<const NamedText> variables;
  std::span<const std::string> unset;
  std::span<const NamedText> results;  // Of commands.
  std::span<const std::string> info;   // What $(info,…) told: no input, but lost otherwise.
};

// `began_s`: when the first file was read, or before, in seconds of the system's clock. A file that
// was young then may change without another stamp; such a file counts by its contents.
std::string SnapshotKeyOf(const TreeInputs& inputs, std::int64_t began_s);

// A key that was read. Its views point into the bytes.
class SnapshotKey {
 public:
  explicit SnapshotKey(std::string_view bytes);

  bool is_damaged() const { return is_damaged_; }
  std::string_view identity() const { return identity_; }
  const std::vector<std::string_view>& info() const { return info_; }

  bool HoldsVariables(const Environment& now) const;
  bool HoldsResults(const KnownResults& known) const;
  bool HoldsFiles(const SourceFolders& folders) const;

  // If it holds, and files that were young have become old by `now_s`: the key in which their
  // stamps suffice.
  std::optional<std::string> Renewed(std::int64_t now_s) const;

 private:
  using Pair = std::pair<std::string_view, std::string_view>;
  struct FileRecord {
    FoundFile found;
    std::uint64_t is_young = 0;
    Sha256Digest digest{};  // Of the contents, if it is young.
  };
  friend std::string SnapshotKeyOf(const TreeInputs& inputs, std::int64_t began_s);

  std::string_view bytes_;
  std::string_view identity_;
  std::vector<std::string_view> info_;
  std::vector<Pair> variables_;
  std::vector<std::string_view> unset_;
  std::vector<Pair> results_;
  std::vector<std::string_view> names_;  // Of the files.
  std::span<const FileRecord> records_;  // One for each name.
  std::vector<std::string_view> absent_;
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> patterns_;
  bool is_damaged_ = false;
};

}  // namespace hone::kconfig
