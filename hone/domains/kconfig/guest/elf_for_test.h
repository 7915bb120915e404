// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

namespace hone::kernels {

// A file in ELF's form that asks for a loader and libraries and has no code. Loaded at kElfAddress.
inline constexpr std::uint64_t kElfAddress = 0x400000;

struct ElfForTest {
  std::uint16_t machine = EM_X86_64;
  std::string loader = {};
  std::vector<std::string> needed_names = {};
};

inline std::string MakeElf(const ElfForTest& asked) {
  std::string names(1, '\0');
  std::vector<Elf64_Dyn> entries;
  const auto add = [&](Elf64_Sxword tag, std::uint64_t value) {
    Elf64_Dyn entry{};
    entry.d_tag = tag;
    entry.d_un.d_val = value;
    entries.push_back(entry);
  };
  for (const std::string& name : asked.needed_names) {
    add(DT_NEEDED, names.size());
    names += name + '\0';
  }
  constexpr std::size_t kSegments = 3;
  const std::size_t loader_at = sizeof(Elf64_Ehdr) + kSegments * sizeof(Elf64_Phdr);
  const std::size_t names_at = loader_at + asked.loader.size() + 1;
  add(DT_STRTAB, kElfAddress + names_at);
  add(DT_STRSZ, names.size());
  add(DT_NULL, 0);
  const std::size_t entries_at = names_at + names.size();
  const std::size_t entries_size = entries.size() * sizeof(Elf64_Dyn);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = asked.machine;
  header.e_phoff = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = kSegments;
  const auto segment = [](std::uint32_t type, std::size_t at, std::size_t size) {
    Elf64_Phdr made{};
    made.p_type = type;
    made.p_offset = at;
    made.p_vaddr = kElfAddress + at;
    made.p_filesz = size;
    return made;
  };
  std::vector<Elf64_Phdr> segments{
      segment(PT_LOAD, 0, entries_at + entries_size),
      segment(asked.loader.empty() ? PT_NULL : PT_INTERP, loader_at, asked.loader.size() + 1),
      segment(PT_DYNAMIC, entries_at, entries_size)};
  const auto bytes = [](const auto& part, std::size_t size) {
    return std::string(reinterpret_cast<const char*>(&part), size);
  };
  return bytes(header, sizeof(header)) + bytes(segments[0], kSegments * sizeof(Elf64_Phdr)) +
         asked.loader + '\0' + names + bytes(entries[0], entries_size);
}

}  // namespace hone::kernels
