// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// Carries a file inside the program, so that nothing has to be installed or found. In a .cc file:
//
//   HONE_EMBED(kHoneSchemas, HONE_SCHEMAS_FILE)
//
// gives kHoneSchemas(), the file's bytes. The path is a string literal that hone_embed() of
// cmake/HoneTargets.cmake defines; it also makes the .cc file depend on the file. The symbols are
// hidden because ARM would look others up in a table in which the linker has one entry for both.
#define HONE_EMBED(name, path)                                       \
  asm(".pushsection .rodata\n"                                       \
      ".balign 16\n" #name                                           \
      "Begin:\n"                                                     \
      ".incbin \"" path "\"\n" #name                                 \
      "End:\n"                                                       \
      ".byte 0\n"                                                    \
      ".popsection\n");                                              \
  extern "C" [[gnu::visibility("hidden")]] const char name##Begin[]; \
  extern "C" [[gnu::visibility("hidden")]] const char name##End[];   \
  static std::string_view name() { return {name##Begin, name##End}; }

namespace hone {

// A row of the tables that hone_embed_files() makes.
struct EmbeddedFile {
  std::string_view name;  // From the root of the tree: "data/presets/tcp.json".
  std::string_view text;
};

}  // namespace hone
