// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::agent {

enum class PassageKind : std::uint8_t {
  kOption,       // An option of the tree's Kconfig.
  kKnownOption,  // What we know of an option: data/kernels/knowledge.json.
  kParameter,    // What we know of a parameter: data/parameters/.
  kDocument,     // A section of the kernel's own documentation.
  kInterface,    // An entry of it that is about one name: a sysctl, a file, a word for booting.
  kMeasured,     // What a campaign on this machine found.
};
inline constexpr std::size_t kPassageKinds = 6;
std::string_view NameOf(PassageKind kind);  // "option", "known_option", …

// A piece of text that answers something, with where it comes from. Texts come from trees that
// nobody vouches for: CleanText has been over all of them.
struct Passage {
  PassageKind kind = PassageKind::kDocument;
  std::vector<std::string> names = {};  // What it is about: "vm.swappiness"; the main one first.
  std::string title;                    // The prompt, or the titles of the sections around it.
  std::string text;
  std::string facts = {};   // Shown and not searched: dependencies, ranges, defaults.
  std::string topics = {};  // Searched and not shown: what it matters for, the menu it is in.
  std::string source;       // "mm/Kconfig:12", "data/parameters/vm.json: vm.swappiness"
  double weight = 1;        // How often something of this sort is what was asked for.

  bool operator==(const Passage&) const = default;
};

// Passages that are replaced together.
struct PassageGroup {
  std::string origin;  // "Documentation/mm/ksm.rst", "kconfig", "campaigns": unique in a base.
  std::string digest;  // Differs when what it was made from does.
  std::vector<Passage> passages;
};

// Without what a terminal or a model could take for a command (PlainText), at most `max` bytes;
// what was cut is said at the end.
std::string CleanText(std::string_view text, std::size_t max = 64 << 10);

}  // namespace hone::agent
