// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/library_symbols.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <vector>

namespace hone::compute {
namespace {

Error NotALibrary(const char* why) {
  return {Errc::kCorrupt, std::string("the library that the compiler made: ") + why};
}

template <typename T>
std::optional<T> ReadAt(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

std::string_view Part(std::string_view file, const Elf64_Shdr& section) {
  if (section.sh_offset > file.size()) return {};
  return file.substr(section.sh_offset, section.sh_size);
}

std::string NameAt(std::string_view names, std::uint64_t offset) {
  if (offset >= names.size()) return "";
  const std::string_view rest = names.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

Result<std::vector<Elf64_Shdr>> Sections(std::string_view file) {
  const auto header = ReadAt<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64) {
    return NotALibrary("not an ELF file of 64 bit");
  }
  std::vector<Elf64_Shdr> sections;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = ReadAt<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return NotALibrary("its table of sections is cut");
    sections.push_back(*section);
  }
  return sections;
}

void ReadSymbols(std::string_view table, std::string_view names, LibrarySymbols& symbols) {
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
    const auto symbol = *ReadAt<Elf64_Sym>(table, at);
    const std::string name = NameAt(names, symbol.st_name);
    if (name.empty()) continue;
    if (symbol.st_shndx == SHN_UNDEF) {
      symbols.imports.insert(name);
    } else if (ELF64_ST_BIND(symbol.st_info) != STB_WEAK) {
      symbols.exports.insert(name);
    }
  }
}

void ReadNeeded(std::string_view table, std::string_view names, LibrarySymbols& symbols) {
  for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= table.size(); at += sizeof(Elf64_Dyn)) {
    const auto entry = *ReadAt<Elf64_Dyn>(table, at);
    if (entry.d_tag == DT_NEEDED) symbols.libraries.insert(NameAt(names, entry.d_un.d_val));
  }
}

}  // namespace

Result<LibrarySymbols> ReadLibrarySymbols(std::string_view file) {
  const auto sections = Sections(file);
  if (!sections) return sections.error();
  LibrarySymbols symbols;
  bool has_symbols = false;
  for (const Elf64_Shdr& section : *sections) {
    if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_DYNAMIC) continue;
    if (section.sh_link >= sections->size()) return NotALibrary("a section without names");
    const std::string_view names = Part(file, (*sections)[section.sh_link]);
    if (section.sh_type == SHT_DYNSYM) {
      has_symbols = true;
      ReadSymbols(Part(file, section), names, symbols);
    } else {
      ReadNeeded(Part(file, section), names, symbols);
    }
  }
  if (!has_symbols) return NotALibrary("it has no table of symbols");
  return symbols;
}

}  // namespace hone::compute
