// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/library_symbols.h"

#include <cstring>
#include <vector>

#include "hone/domains/compute/backends/elf_sections.h"

namespace hone::compute {
namespace {

constexpr std::string_view kWhat = "the library that the compiler made";

Error NotALibrary(const char* why) { return {Errc::kCorrupt, std::string(kWhat) + ": " + why}; }

// The entries of a table, one after the other.
template <typename Entry, typename Visit>
void ForEachEntry(std::string_view table, const Visit& visit) {
  for (std::size_t at = 0; at + sizeof(Entry) <= table.size(); at += sizeof(Entry)) {
    Entry entry;
    std::memcpy(&entry, table.data() + at, sizeof(Entry));
    visit(entry);
  }
}

// An array may be called times.
bool IsFunction(const Elf64_Sym& symbol) {
  const auto type = ELF64_ST_TYPE(symbol.st_info);
  return type == STT_FUNC || type == STT_GNU_IFUNC;
}

void ReadSymbols(std::string_view table, std::string_view names, LibrarySymbols& symbols) {
  ForEachEntry<Elf64_Sym>(table, [&](const Elf64_Sym& symbol) {
    const std::string name = ElfNameAt(names, symbol.st_name);
    if (name.empty()) return;
    if (symbol.st_shndx == SHN_UNDEF) {
      symbols.imports.insert(name);
    } else if (IsFunction(symbol) && ELF64_ST_BIND(symbol.st_info) != STB_WEAK) {
      symbols.exports.insert(name);
    }
  });
}

void ReadNeeded(std::string_view table, std::string_view names, LibrarySymbols& symbols) {
  ForEachEntry<Elf64_Dyn>(table, [&](const Elf64_Dyn& entry) {
    if (entry.d_tag == DT_NEEDED) symbols.libraries.insert(ElfNameAt(names, entry.d_un.d_val));
  });
}

}  // namespace

Result<LibrarySymbols> ReadLibrarySymbols(std::string_view file) {
  const auto sections = ReadElfSections(file, kWhat);
  if (!sections) return sections.error();
  LibrarySymbols symbols;
  bool has_symbols = false;
  for (const ElfSection& section : *sections) {
    const auto type = section.header.sh_type;
    if (type != SHT_DYNSYM && type != SHT_DYNAMIC) continue;
    if (section.header.sh_link >= sections->size()) return NotALibrary("a section without names");
    const std::string_view names = (*sections)[section.header.sh_link].bytes;
    if (type == SHT_DYNSYM) {
      has_symbols = true;
      ReadSymbols(section.bytes, names, symbols);
    } else {
      ReadNeeded(section.bytes, names, symbols);
    }
  }
  if (!has_symbols) return NotALibrary("it has no table of symbols");
  return symbols;
}

}  // namespace hone::compute
