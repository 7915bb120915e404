// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"
#include "hone/kconfig/language/text_arena.h"

namespace hone::kconfig {

// What tells one state of a file from another without reading it, as in git's index.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_s = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_s = 0;
  std::int64_t changed_ns = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

struct FoundFile {
  std::uint64_t folder = 0;  // Which of the folders has it; 0 for an absolute name.
  FileStamp stamp;

  friend bool operator==(const FoundFile&, const FoundFile&) = default;
};

// What was asked for by a parser, and how it was found.
struct InputFile {
  std::string name;
  FoundFile found;
  std::string_view text;
};
using InputPattern = std::pair<std::string, std::vector<std::string>>;  // And what it matches.
struct FileInputs {
  std::vector<InputFile> files;
  std::vector<std::string> absent;
  std::vector<InputPattern> patterns;
};

// The folders that the files of a tree lie in: the first that has a file counts. An absolute name
// is taken as it is.
class SourceFolders {
 public:
  explicit SourceFolders(const std::vector<std::filesystem::path>& folders);

  struct FileText {
    std::string_view text;
    FoundFile found;  // From before it was read.
  };

  // kNotFound if there is none. A file of more than `largest` bytes is refused.
  Result<FileText> Read(const std::string& name, TextArena& arena, std::size_t largest) const;

  // Without opening it. nullopt if there is none.
  std::optional<FoundFile> Find(const char* name) const;

  // The files that the pattern matches, sorted.
  std::vector<std::string> Glob(const std::string& pattern) const;

 private:
  std::vector<std::string> names_;
  std::vector<Descriptor> open_;  // An open folder saves the walk to it for every file.
};

}  // namespace hone::kconfig
