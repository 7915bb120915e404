// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hone::agent {

// A piece of a document under one heading, or an entry of a list that is about one name.
struct Section {
  std::vector<std::string> titles = {};  // From the document's own down to this one's.
  std::vector<std::string> names = {};   // Of an entry: "swappiness", "/sys/block/*/size", "quiet".
  std::size_t line = 1;                  // Where it begins.
  std::string text;
};

// What becomes of a document: how its entries are told from its prose.
enum class DocumentForm {
  kProse,           // reStructuredText, Markdown or plain text under headings.
  kFileInterfaces,  // Documentation/ABI: entries that begin with "What:".
  kBootParameters,  // kernel-parameters.txt: entries behind one tab.
};

// By the path inside the tree: "Documentation/ABI/stable/sysfs-block".
DocumentForm FormOfDocument(std::string_view path);

// Any bytes are a document; a section is never longer than about kMaxSection, what is longer
// becomes several of the same titles. At most kMaxSections of one document.
std::vector<Section> SectionsOf(std::string_view text, DocumentForm form);

inline constexpr std::size_t kMaxSection = 2'400;
inline constexpr std::size_t kMaxSections = 20'000;

}  // namespace hone::agent
