// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/knowledge/passage.h"
#include "hone/core/result.h"

namespace hone::agent {

// A tree is not trusted: what goes over these is left out, and said.
struct DocumentLimits {
  std::size_t files = 30'000;
  std::size_t depth = 16;               // Folders below Documentation.
  std::size_t file_bytes = 4 << 20;     // Of one file.
  std::size_t total_bytes = 512 << 20;  // Of all.
};

struct DocumentList {
  std::vector<std::string> paths;  // From the tree's root, sorted: "Documentation/mm/ksm.rst".
  std::vector<std::string> notes;  // What was left out, and why.
};

// The texts in the tree's Documentation: *.rst, *.txt, *.md, and all of Documentation/ABI.
// Translations are left out. Links are never followed. A tree without the folder has none.
Result<DocumentList> ListDocuments(const std::filesystem::path& root,
                                   const DocumentLimits& limits = {});

// How entries are called elsewhere: by the last part of a name, "swappiness" to vm.swappiness.
class NameBook {
 public:
  void Add(const std::string& name);

  // The whole name, if there is just one with this last part; else the part itself.
  std::string FullName(const std::string& part) const;

 private:
  std::map<std::string, std::string> by_part_;  // Empty: there are several.
};

// Part of the digests of documents; to be raised whenever passages are made differently.
inline constexpr int kDocumentsVersion = 2;

// The passages of one document.
std::vector<Passage> DocumentPassages(std::string_view path, std::string_view text,
                                      const NameBook& book);

}  // namespace hone::agent
