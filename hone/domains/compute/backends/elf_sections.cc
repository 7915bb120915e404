// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/elf_sections.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

namespace hone::compute {
namespace {

template <typename T>
std::optional<T> ReadAt(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

std::string_view Part(std::string_view file, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > file.size()) return {};
  return file.substr(section.sh_offset, section.sh_size);
}

}  // namespace

std::string ElfNameAt(std::string_view names, std::uint64_t offset) {
  if (offset >= names.size()) return "";
  const std::string_view rest = names.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

Result<std::vector<ElfSection>> ReadElfSections(std::string_view file, std::string_view what) {
  const auto wrong = [&](std::string_view why) {
    return Error{Errc::kCorrupt, fmt::format("{}: {}", what, why)};
  };
  const auto header = ReadAt<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64) {
    return wrong("not an ELF file of 64 bit");
  }
  std::vector<ElfSection> sections;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = ReadAt<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return wrong("its table of sections is cut");
    sections.push_back({*section, "", Part(file, *section)});
  }
  if (header->e_shstrndx < sections.size()) {
    const std::string_view names = sections[header->e_shstrndx].bytes;
    for (ElfSection& section : sections) {
      section.name = ElfNameAt(names, section.header.sh_name);
    }
  }
  return sections;
}

}  // namespace hone::compute
