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
#include "hone/base/file_stamp.h"
#include "hone/core/result.h"
#include "hone/kconfig/language/text_arena.h"

namespace hone::kconfig {

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

// The folders that the files of a tree lie in: the first that has a file counts. A tree is not
// trusted: what it names by an absolute name, by "..", or by a link, is opened only if it lies in
// one of these folders or in one that the user granted, and only if it is a plain file.
class SourceFolders {
 public:
  explicit SourceFolders(const std::vector<std::filesystem::path>& folders,
                         const std::vector<std::filesystem::path>& granted = {});

  struct FileText {
    std::string_view text;
    FoundFile found;  // From before it was read.
  };

  // kNotFound if there is none; kInvalidArgument for one that lies elsewhere, whether or not there
  // is one. A file of more than `largest` bytes is refused.
  Result<FileText> Read(const std::string& name, TextArena& arena, std::size_t largest) const;

  // Without opening it, wherever it lies. nullopt if there is none.
  std::optional<FoundFile> Find(const char* name) const;

  // The files that the pattern matches, sorted. kInvalidArgument if it leads elsewhere.
  Result<std::vector<std::string>> Glob(const std::string& pattern) const;

 private:
  struct Place {
    std::string name;   // As it was given.
    std::string real;   // Without links; empty if there is no such folder.
    Descriptor folder;  // An open one saves the walk to it for every file.
  };
  struct Opened {
    Descriptor file;
    std::size_t folder = 0;
    int reason = 0;  // Why it is not open; EXDEV: it lies elsewhere.
  };
  Opened Open(const std::string& name) const;
  Opened OpenAbsolute(const std::string& name) const;
  Descriptor OpenIn(const Place& place, const char* name, int flags) const;
  Descriptor OpenReal(const std::string& path, int flags) const;
  Result<std::vector<std::string>> GlobIn(const Place& place, const std::string& pattern) const;

  std::vector<Place> places_;
  std::size_t searched_ = 0;  // The first ones, in which relative names are looked for.
};

// A file of a tree that has this folder for a root, held to the same rules; at most 64 MiB.
Result<std::string> ReadTreeFile(const std::filesystem::path& root, const std::string& name);

}  // namespace hone::kconfig
